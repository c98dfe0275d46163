/** Python in editors: completion and inspection in Python cells, and of Python objects in TypeScript. */

import { field, type Content } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';
import { PYTHON, withPython } from './environment.ts';

/** The cursor is at the bar. */
function at(code: string): { code: string; cursor_pos: number } {
  const cursor = code.indexOf('|');
  return { code: code.replace('|', ''), cursor_pos: [...code.slice(0, cursor)].length };
}

async function completed(
  code: string
): Promise<{ matches: string[]; types: Record<string, string>; reply: Content }> {
  const reply = await kernel.request('complete_request', at(code));
  const types =
    field<{ text: string; type: string }[] | undefined>(reply, 'metadata', '_jupyter_types_experimental') ??
    [];
  return {
    matches: reply['matches'] as string[],
    types: Object.fromEntries(types.map(({ text, type }) => [text, type])),
    reply
  };
}

async function inspected(code: string, detail_level = 0): Promise<string | undefined> {
  const reply = await kernel.request('inspect_request', { ...at(code), detail_level });
  return reply['found'] === true ? field<string>(reply, 'data', 'text/plain') : undefined;
}

withPython('questions about Python', () => {
  withKernel('ipc', { STRIDELAB_PYTHON: PYTHON });

  test('before Python runs, nothing is known and it is not started', async () => {
    expect((await completed('%%python\nimp|')).matches).toEqual([]);
    expect(await kernel.request('is_complete_request', { code: '%%python\nx = 1' })).toEqual({
      status: 'unknown'
    });
    expect(await inspected('%%python\nlen|')).toBeUndefined();
    await kernel.execute('import { python } from "stridelab"');
    expect((await kernel.execute('python.status.state')).result).toBe("'not-started'");
  });

  test("members of an object are Python's, with their kinds", async () => {
    await kernel.execute('const math = python.import("math"), json = python.import("json"); let ran = 0');
    await kernel.execute(`%%python
class Thing:
    """A thing."""
    ran = 0
    def __init__(self): self.own = 1
    @property
    def costly(self):
        Thing.ran += 1
        return self
    def method(self, by: int = 2) -> int:
        "Does it."
        return by
    class Inner: pass
thing = Thing()`);
    await kernel.execute('const thing = python.evaluate("thing")');
    const { matches, types, reply } = await completed('math.sq|');
    expect(matches).toEqual(['sqrt']);
    expect(types).toEqual({ sqrt: 'function' });
    expect([reply['cursor_start'], reply['cursor_end']]).toEqual([5, 7]);
    // Not the properties of JavaScript functions, which Python objects are in JavaScript.
    expect((await completed('math.|')).matches).not.toContain('apply');
    expect((await completed('thing.|')).types).toMatchObject({
      own: 'property',
      costly: 'property',
      method: 'method',
      Inner: 'class'
    });
    expect((await completed('json.decoder.JSOND|')).matches).toEqual(['JSONDecodeError', 'JSONDecoder']);
    expect((await completed('thing.costly.|')).matches).not.toContain('own');
    expect((await kernel.execute('thing.ran')).result).toBe('0');
  });

  test('an object is described by Python', async () => {
    expect(await inspected('thing.meth|od')).toMatch(/^method\(by: int = 2\) -> int\n\nDoes it\.$/);
    expect(await inspected('thing.method(|')).toMatch(/^method\(by: int = 2\)/);
    expect(await inspected('math.sqrt|')).toMatch(/^sqrt\(x, \/\)\n\nReturn the square root of x\.$/);
    expect(await inspected('thing.method|', 1)).toMatch(/def method\(self, by: int = 2\) -> int:/);
    expect(await inspected('math|')).toMatch(/module/);
    expect(await inspected('math.pi|')).toMatch(/pi: float\n3\.14159/);
    // Other names are inspected by TypeScript.
    expect(await inspected('ran|')).toMatch(/let ran: number/);
  });

  test('cells of Python are completed with the values of __main__', async () => {
    expect((await completed('%%python\nx = "ü😀"; thing.me|')).matches).toEqual(['method']);
    const { reply } = await completed('%%python\n"😀"; thing.me|');
    expect([reply['cursor_start'], reply['cursor_end']]).toEqual([20, 22]);
    expect((await completed('%%python\nthi|')).matches).toEqual(['thing']);
    expect((await completed('%%python\nwhi|')).types).toEqual({ while: 'keyword' });
    expect((await completed('%%python\nimport json.dec|')).matches).toEqual(['json.decoder']);
    expect((await completed('%%python\nfrom colle|')).matches).toContain('collections');
    expect((await completed('%python thing.ow|')).matches).toEqual(['own']);
    expect((await completed('%%python\nthing.costly.|')).matches).toEqual([]);
    expect((await completed('%%py|')).matches).toEqual(['%%python']);
  });

  test('and inspected with them', async () => {
    expect(await inspected('%%python\nthing.meth|od(1)')).toMatch(/^method\(by/);
    expect(await inspected('%%python\nlen([1], |')).toMatch(/^len\(obj, \/\)/);
    expect(await inspected('%%python\nnowhere|')).toBeUndefined();
  });

  test.each([
    ['x = 1', { status: 'complete' }],
    ['if x:', { status: 'incomplete', indent: '    ' }],
    ['if x:\n    y = 1', { status: 'incomplete', indent: '    ' }],
    ['if x:\n    y = 1\n', { status: 'complete' }],
    ['f(', { status: 'incomplete', indent: '' }],
    ['x = = 1', { status: 'invalid' }],
    ['await f()', { status: 'complete' }],
    ['', { status: 'incomplete', indent: '' }]
  ])('whether %j is complete', async (source, expected) => {
    expect(await kernel.request('is_complete_request', { code: `%%python\n${source}` })).toEqual(expected);
  });

  test('a busy cell is not waited for', async () => {
    const id = kernel.startExecution('%%python\nimport time\nprint("begun")\ntime.sleep(60)');
    await kernel.published(({ parentId, content }) => parentId === id && content['text'] === 'begun\n');
    expect((await completed('%%python\nthing.me|')).matches).toEqual([]);
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    expect((await completed('%%python\nthing.me|')).matches).toEqual(['method']);
  });
});
