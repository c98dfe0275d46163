import { jest } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceback, type Content } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';

// The machine may be busy.
jest.setTimeout(60_000);

withKernel();
beforeAll(() => kernel.execute('%types strict'));

/** The codes of the type errors that keep a cell from running; a cell without any must succeed. */
async function faults(code: string): Promise<string[]> {
  const { reply } = await kernel.execute(code);
  const found = reply['status'] === 'ok' ? [] : (traceback(reply).match(/\bTS\d+/g) ?? ['failed']);
  return [...found];
}

const ask = (type: string, marked: string): Promise<Content> =>
  kernel.request(type, { code: marked.replace('|', ''), cursor_pos: marked.indexOf('|'), detail_level: 0 });

test('cells that name Deno are checked with its types, its namespaces too', async () => {
  expect(
    await faults(`const facts: Deno.FileInfo = await Deno.stat('.');
      const shown: Deno.jupyter.Displayable = Deno.jupyter.md\`x\`;
      try { Deno.readFileSync('missing') } catch (error) { if (!(error instanceof Deno.errors.NotFound)) throw error; error.code }`)
  ).toEqual([]);
  expect(await faults('const size: string = facts.size;')).toEqual(['TS2322']);
  expect(await faults('Deno.serve')).toEqual(['TS2339']);
});

test('members of Deno are completed and documented', async () => {
  expect((await ask('complete_request', 'Den|'))['matches']).toEqual(['Deno']);
  const { matches } = await ask('complete_request', 'Deno.readTextF|');
  expect(matches).toEqual(['readTextFile', 'readTextFileSync']);
  expect((await ask('complete_request', 'Deno.jupyter.|'))['matches']).toEqual(
    expect.arrayContaining(['$display', 'broadcast', 'display', 'format', 'html', 'image', 'md', 'svg'])
  );
  const { data } = (await ask('inspect_request', 'Deno.readTextFile|')) as { data: Record<string, string> };
  expect(data['text/plain']).toContain('Returns the content of a file as UTF-8 text.');
});

test('modules of other kernels have types, at any version, and so have files that name Deno', async () => {
  writeFileSync(join(kernel.folder, 'near.ts'), 'export const here = (): string => Deno.cwd();\n');
  expect(
    await faults(`import * as tslab from 'tslab'; tslab.newDisplay().text('x'); tslab.versions.typescript;
      import { display } from 'https://deno.land/x/display@v0.1.1/mod.ts'; await display(1, { display_id: 'd' });
      import { widget } from 'jsr:@anywidget/deno@0.1.2';
      import { here } from './near';
      const made = widget({ state: { text: 'a' }, render: ({ model, el }) => { el.textContent = model.get('text') } });
      made.set('text', here());`)
  ).toEqual([]);
  expect(await faults("made.set('text', 1); tslab.display.png('text')")).toEqual(['TS2345', 'TS2345']);
});

test('the notebook can declare the name', async () => {
  expect(await faults('const Deno = { mine: 1 }; Deno.mine')).toEqual([]);
  expect(await faults('Deno.mine.toFixed()')).toEqual([]);
});
