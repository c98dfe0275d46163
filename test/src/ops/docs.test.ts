/** The examples of docs/arrays.md have the results that they state. */

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import * as library from '../../../src/index.ts';

type Make = (...of: unknown[]) => unknown;

const page = readFileSync(new URL('../../../docs/arrays.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string);

/** The arrays of the examples are on the simulated device, even if there is a GPU. */
const onSimulated = (make: Make): Make => {
  return (...of) => {
    const last = of.at(-1);
    const given = typeof last === 'object' && last !== null && !Array.isArray(last);
    return make(...(given ? of.slice(0, -1) : of), { device: 'sim:0', ...(given ? last : {}) });
  };
};
const names: Record<string, unknown> = { ...library };
for (const name of ['arange', 'array', 'zeros'] as const) names[name] = onSimulated(library[name] as Make);

const squeezed = (text: string): string => text.replaceAll(/\s/g, '');

function shown(value: unknown): string {
  if (!(value instanceof library.NDArray)) return inspect(value);
  return `${value.dtype.name} ${inspect((value as library.NDArray).toNested(), { depth: 9 })}`;
}

/** The code with each line that states a result passed to `check`, and the number of these lines. */
function checked(block: string): { code: string; promises: number } {
  let promises = 0;
  const lines = block.split('\n').filter(line => !line.startsWith('import '));
  const code = lines.map(line => {
    const found = /^(\S.*);\s+\/\/ (.*)$/.exec(line);
    if (found === null) return line;
    promises++;
    return `check(() => ${found[1] as string}, ${JSON.stringify(found[2])}, ${JSON.stringify(line)});`;
  });
  return { code: code.join('\n'), promises };
}

test.each(blocks.map((block, index) => [index + 1, block] as const))('example %i', (_, block) => {
  const imported =
    /import \{(.*)\} from "stridelab"/
      .exec(block)?.[1]
      ?.split(',')
      .map(name => name.trim()) ?? [];
  const { code, promises } = checked(block);
  let kept = 0;
  const check = (action: () => unknown, promise: string, line: string): void => {
    kept++;
    const error = /^throws (\w+)$/.exec(promise)?.[1];
    if (error !== undefined) {
      expect(action).toThrow(names[error] as new () => Error);
      return;
    }
    expect({ line, gives: squeezed(shown(action())) }).toEqual({ line, gives: squeezed(promise) });
  };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function('check', ...imported, code) as (...of: unknown[]) => void;
  run(check, ...imported.map(name => names[name]));
  expect(kept).toBe(promises);
  expect(promises).toBeGreaterThan(3);
});

test('the page has examples and names every function', () => {
  expect(blocks).toHaveLength(6);
  const documented = new Set([...page.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const missing = Object.keys(library).filter(
    name => /^[a-z]/.test(name) && operations.has(name) && !documented.has(name)
  );
  expect(missing).toEqual([]);
});

const operations: ReadonlySet<string> = new Set(
  [
    ...readFileSync(new URL('../../../src/ops/functions.ts', import.meta.url), 'utf8').matchAll(
      /^export const (\w+) =/gm
    )
  ].map(([, name]) => name as string)
);
