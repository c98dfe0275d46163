/** Accessibility of pages, checked with axe-core and the rules of WCAG 2.1, levels A and AA. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, ImpactValue } from 'axe-core';
import type { Locator } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Finding {
  readonly rule: string;
  readonly impact: ImpactValue;
  readonly help: string;
  readonly where: readonly string[];
}

/** Findings inside an element that axe-core rates serious or critical. */
export async function seriousFindings(element: Locator): Promise<Finding[]> {
  // Pages with a content security policy would block a script element.
  await element.page().evaluate(axe);
  const { violations } = await element.evaluate(
    node =>
      (window as unknown as { axe: { run(node: Node, options: object): Promise<AxeResults> } }).axe.run(
        node,
        {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']
        }
      ),
    undefined
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => ({
      rule: id,
      impact: impact ?? null,
      help,
      where: nodes.map(node => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`)
    }));
}
