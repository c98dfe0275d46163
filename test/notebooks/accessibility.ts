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
  const page = element.page();
  // Pages with a content security policy would block a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const violations = await element.evaluate(async node => {
    const { run } = (window as unknown as { axe: { run(node: Node, options: object): Promise<AxeResults> } })
      .axe;
    // Everything else that axe-core reports is large, and takes longer to describe and to send than to find.
    return (
      await run(node, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'] })
    ).violations;
  }, undefined);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => ({
      rule: id,
      impact: impact ?? null,
      help,
      where: nodes.map(node => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`)
    }));
}
