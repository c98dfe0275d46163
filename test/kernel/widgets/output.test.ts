import { attachNotebookHost } from '../../../src/notebook/host.ts';
import { pass, until } from '../../setup/until.ts';
import {
  Button,
  fixed,
  interactive,
  IntSlider,
  Label,
  Output
} from '../../../kernel/widgets/controls/index.ts';
import { OutputLog } from '../../../kernel/widgets/controls/output-log.ts';
import { openWidgets } from '../../../kernel/widgets/model/references.ts';
import { page, withPage } from './page.ts';

withPage();

/** Output of running code, in the form that the executor passes on. */
function print(text: string): void {
  page.sinks.get(page.sink ?? '')?.({ type: 'stream', content: { name: 'stdout', text } });
}

const stream = (text: string, name = 'stdout') => ({ output_type: 'stream', name, text });
const shown = (text: string) => ({ output_type: 'display_data', data: { 'text/plain': text }, metadata: {} });

describe('an output log', () => {
  const display = (text: string, id?: string) => ({
    type: 'display_data',
    content: { data: { 'text/plain': text }, metadata: {}, ...(id && { transient: { display_id: id } }) }
  });

  test('consecutive text of one stream is one item', () => {
    const log = new OutputLog();
    for (const [name, text] of [
      ['stdout', 'a'],
      ['stdout', 'b'],
      ['stderr', 'c'],
      ['stdout', 'd']
    ])
      expect(log.take({ type: 'stream', content: { name, text } })).toBe(true);
    expect(log.items).toEqual([stream('ab'), stream('c', 'stderr'), stream('d')]);
  });

  test('a display is replaced everywhere it was shown; unknown ids are ignored', () => {
    const log = new OutputLog();
    log.take(display('a', 'x'));
    log.take(display('b'));
    log.take(display('c', 'x'));
    const update = { ...display('new', 'x'), type: 'update_display_data' };
    expect(log.take(update)).toBe(true);
    expect(log.items).toEqual([shown('new'), shown('b'), shown('new')]);
    expect(log.take({ ...display('new', 'y'), type: 'update_display_data' })).toBe(false);
    expect(log.take({ type: 'comm_msg', content: {} })).toBe(false);
  });

  test('clearing happens immediately, or with the next output', () => {
    const log = new OutputLog();
    log.take(display('a', 'x'));
    log.take({ type: 'clear_output', content: { wait: true } });
    expect(log.items).toEqual([shown('a')]);
    log.take({ type: 'stream', content: { name: 'stdout', text: 'b' } });
    expect(log.items).toEqual([stream('b')]);
    expect(log.take({ ...display('new', 'x'), type: 'update_display_data' })).toBe(false);
    log.take({ type: 'clear_output', content: { wait: false } });
    expect([log.items, log.settle()]).toEqual([[], false]);
  });
});

describe('an Output', () => {
  test('captures the output of its work, in its state', () => {
    const out = new Output();
    page.take(out);
    expect(out.capture(() => (print('hello '), print('world'), 5))).toBe(5);
    expect(out.outputs).toEqual([stream('hello world')]);
    expect(page.data(out).at(-1)).toMatchObject({ state: { outputs: [stream('hello world')] } });
  });

  test('a flood is sent in few updates', () => {
    const out = new Output();
    page.take(out);
    out.capture(() => {
      for (let count = 0; count < 2000; count += 1) print('x');
    });
    expect(out.outputs).toEqual([stream('x'.repeat(2000))]);
    expect(page.data(out).length).toBeLessThan(200);
  });

  test('text can be appended and removed without work', async () => {
    const out = new Output();
    out.append_stdout('a');
    out.append_stderr('b');
    await pass(120, 'nothing more must arrive');
    expect(out.outputs).toEqual([stream('a'), stream('b', 'stderr')]);
    out.clear_output();
    await pass(120, 'nothing must be sent back');
    expect(out.outputs).toEqual([]);
  });

  test('errors of its work are shown in it, and rethrown', async () => {
    const out = new Output();
    const sinks: (string | undefined)[] = [];
    const report = page.errors.push.bind(page.errors);
    page.errors.push = (...errors) => (sinks.push(page.sink), report(...errors));
    const fail = (): never => {
      throw new Error('mine');
    };
    expect(() => out.capture(fail)).toThrow('mine');
    await expect(
      out.capture(async () => (await pass(1, 'something may fail later'), fail()))
    ).rejects.toThrow('mine');
    expect(sinks).toEqual([...page.sinks.keys(), ...page.sinks.keys()]);
  });

  test('an error of a handler is shown once: in the output of its work', async () => {
    const [out, button] = [new Output(), new Button()];
    const failure = new Error('mine');
    button.on('click', () =>
      out.capture(() => {
        throw failure;
      })
    );
    button.on('click', () =>
      out.capture(async () => (await pass(1, 'something may fail later'), Promise.reject(failure)))
    );
    page.custom(button, { event: 'click' });
    await until(() => page.errors.length === 2);
    expect(page.errors).toEqual([failure, failure]);
    button.on('click', () => Promise.reject(failure));
    page.custom(button, { event: 'click' });
    await until(() => page.errors.length >= 5);
    expect(page.errors).toHaveLength(5);
  });

  test('closing it removes its sink', () => {
    const out = new Output();
    expect(page.sinks.size).toBe(1);
    out.close();
    out.append_stdout('late');
    expect([page.sinks.size, out.outputs]).toEqual([0, []]);
  });
});

describe('interactive', () => {
  beforeEach(() =>
    attachNotebookHost({
      display: bundle =>
        void page.sinks.get(page.sink ?? '')?.({
          type: 'display_data',
          content: { data: { 'text/plain': bundle['text/plain'] }, metadata: {} }
        }),
      inspect: () => {}
    })
  );
  afterEach(() => attachNotebookHost(undefined));

  test('plain values become controls, whose values are passed to the function', () => {
    const day = new Date(2026, 0, 5);
    const own = new IntSlider({ value: 3, description: 'mine' });
    const made = interactive(values => void values, {
      around: 10,
      nothing: 0,
      fraction: 0.5,
      range: [0, 10],
      stepped: [0, 1, 0.25],
      flag: true,
      word: 'hi',
      day,
      list: ['a', 'b'],
      pairs: [['one', 1] as const, ['two', 2] as const],
      object: { x: 'ex', y: 'why' },
      own,
      kept: fixed({ any: 'thing' })
    });
    const kinds = Object.entries(made.controls).map(([name, control]) => [name, control.constructor.name]);
    expect(Object.fromEntries(kinds)).toEqual({
      around: 'IntSlider',
      nothing: 'IntSlider',
      fraction: 'FloatSlider',
      range: 'IntSlider',
      stepped: 'FloatSlider',
      flag: 'Checkbox',
      word: 'Text',
      day: 'DatePicker',
      list: 'Dropdown',
      pairs: 'Dropdown',
      object: 'Dropdown',
      own: 'IntSlider'
    });
    expect(made.arguments).toEqual({
      around: 10,
      nothing: 0,
      fraction: 0.5,
      range: 5,
      stepped: 0.5,
      flag: true,
      word: 'hi',
      day,
      list: 'a',
      pairs: 1,
      object: 'ex',
      own: 3,
      kept: { any: 'thing' }
    });
    const typed: { range: number; flag: boolean; list: 'a' | 'b'; pairs: 1 | 2; own: number } =
      made.arguments;
    expect(typed.own).toBe(3);
    expect(made.children).toHaveLength(13);
    expect([made.controls['around'], own.description]).toMatchObject([
      { min: -10, max: 30, description: 'around' },
      'mine'
    ]);
  });

  test.each([
    ['x', null, 'no control represents the value of "x"'],
    ['x', [0, 10, 0], 'the step for "x" is 0, expected a positive number'],
    ['x', [10, 0], 'the range for "x" is [10, 0], expected the minimum first'],
    ['x', new Label().layout, 'the widget for "x" is a Layout, which has no value']
  ])('%s = %j is refused', (name, value, sentence) => {
    expect(() => interactive(() => 0, { [name]: value })).toThrow(sentence);
  });

  test('runs immediately and after each change; earlier outputs are replaced', async () => {
    const made = interactive(({ x }) => (print(`x is ${x}`), x * 2), { x: [0, 10] });
    await made.update();
    expect([made.result, made.out.outputs]).toEqual([10, [stream('x is 5'), shown('\x1b[33m10\x1b[39m')]]);
    page.change(made.controls['x']!, { value: 7 });
    await until(() => made.result === 14);
    expect([made.result, made.out.outputs]).toEqual([14, [stream('x is 7'), shown('\x1b[33m14\x1b[39m')]]);
  });

  test('during an asynchronous run, changes lead to one more run with the last values', async () => {
    const seen: number[] = [];
    const made = interactive(
      async ({ x }) => {
        seen.push(x);
        await pass(20, 'the function takes a while');
      },
      { x: [0, 10] }
    );
    for (const value of [1, 2, 3]) page.change(made.controls['x']!, { value });
    await made.update();
    expect(seen).toEqual([5, 3]);
  });

  test('an error is shown, and the next change runs again', async () => {
    const made = interactive(
      ({ x }) => {
        if (x === 1) throw new Error('one');
        return x;
      },
      { x: [0, 10] }
    );
    await made.update();
    page.change(made.controls['x']!, { value: 1 });
    await made.update();
    page.change(made.controls['x']!, { value: 2 });
    await made.update();
    expect([page.errors.map(String), made.result]).toEqual([['Error: one', 'Error: one'], 2]);
  });

  test('with `manual` only the button runs it', async () => {
    let runs = 0;
    const made = interactive(() => (runs += 1), { x: 1 }, { manual: true, manual_name: 'Go' });
    page.change(made.controls['x']!, { value: 2 });
    const button = made.children[1]!;
    page.custom(button, { event: 'click' });
    await until(() => runs === 1 && button.fullState()['disabled'] === false);
    expect([runs, button.fullState()['description'], button.fullState()['disabled']]).toEqual([
      1,
      'Go',
      false
    ]);
  });

  test('closing it closes what it created, and not what it was given', () => {
    const own = new IntSlider();
    let runs = 0;
    const made = interactive(() => void (runs += 1), { x: [0, 1], own });
    made.close();
    own.value = 5;
    expect([made.controls['x']!.closed, made.out.closed, own.closed, runs]).toEqual([true, true, false, 1]);
    expect([...openWidgets.keys()].sort()).toEqual(
      [own.model_id, own.layout.model_id, own.style.model_id].sort()
    );
  });
});
