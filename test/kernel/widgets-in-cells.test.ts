import { field, plain, type Content, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

const idOf = async (name: string): Promise<string> =>
  (await kernel.execute(`console.log(${name}.model_id)`)).stdout.trim();

/** Sends a widget message as a page does, waits until it has been handled, and returns the messages published for it. */
async function tell(id: string, data: Content): Promise<Message[]> {
  const message = kernel.send('shell', 'comm_msg', { comm_id: id, data });
  await kernel.idle(message);
  return kernel.iopub.filter(({ parentId }) => parentId === message);
}

const change = (id: string, state: Content): Promise<Message[]> =>
  tell(id, { method: 'update', state, buffer_paths: [] });

test('a slider sets a variable of the cells, within busy and idle', async () => {
  const made = await kernel.execute(`
    import { Button, IntSlider, Output, interact } from 'stridelab/widgets';
    const slider = new IntSlider({ description: 'speed' });
    let speed = 0;
    slider.observe('value', change => { speed = change.new; });
    slider`);
  const result = made.messages.find(({ type }) => type === 'execute_result');
  const id = field<string>(result, 'content', 'data', 'application/vnd.jupyter.widget-view+json', 'model_id');
  expect(made.result).toBe("IntSlider { description: 'speed', value: 0 }");
  const published = await change(id, { value: 42 });
  expect(published.map(({ type, content }) => [type, field(content, 'data', 'method')])).toEqual([
    ['status', undefined],
    ['comm_msg', 'echo_update'],
    ['status', undefined]
  ]);
  expect((await kernel.execute('speed')).result).toBe('42');
});

test('output of a handler appears in the cell that added it, and so does its error', async () => {
  const cell = await kernel.execute(`
    slider.observe('value', ({ new: value }) => console.log('now ' + value));
    slider.observe('value', ({ new: value }) => { if (value === 7) throw new Error('no sevens'); });`);
  await change(await idOf('slider'), { value: 7 });
  const printed = await kernel.published(
    ({ type, content }) => type === 'stream' && content['text'] === 'now 7\n'
  );
  const error = await kernel.published(({ type }) => type === 'error');
  expect([printed.parentId, error.parentId]).toEqual([cell.id, cell.id]);
  expect(error.content).toMatchObject({ ename: 'Error', evalue: 'no sevens' });
  expect(plain((error.content['traceback'] as string[]).join('\n'))).toContain('Cell [');
});

test('after a page was reloaded, output belongs to the current message', async () => {
  await kernel.idle(
    kernel.send('shell', 'comm_open', { comm_id: 'ctl', target_name: 'jupyter.widget.control', data: {} })
  );
  const states = await tell('ctl', { method: 'request_states' });
  const id = await idOf('slider');
  expect(field(states[1]!.content, 'data', 'states', id, 'state')).toMatchObject({ value: 7 });
  const published = await change(id, { value: 8 });
  expect(published.map(({ type }) => type)).toContain('stream');
});

test('handlers run while a cell awaits', async () => {
  const cell = kernel.startExecution(`
    const go = new Button({ description: 'Go' });
    console.log(go.model_id);
    for await (const _ of go.events('click')) { console.log('clicked'); break; }`);
  const printed = await kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === cell && /^\w{32}\n$/.test(content['text'] as string)
  );
  await tell((printed.content['text'] as string).trim(), { method: 'custom', content: { event: 'click' } });
  expect((await kernel.finish(cell)).stdout).toContain('clicked');
});

test('an Output captures what its work prints and displays, also later and alongside the cell', async () => {
  const { stdout, messages } = await kernel.execute(`
    const out = new Output();
    const before = out.capture(async () => {
      console.log('inside');
      await new Promise(resolve => setTimeout(resolve, 30));
      console.error('after an await');
      display({ [Symbol.for('Jupyter.display')]: () => ({ 'text/plain': 'shown' }) });
      out.capture(() => slider.observe('value', ({ new: value }) => console.log('handler ' + value)));
    });
    console.log('outside');
    await before;
    console.log('end');`);
  expect(stdout).toBe('outside\nend\n');
  expect(messages.filter(({ type }) => type === 'display_data')).toEqual([]);
  await change(await idOf('slider'), { value: 9 });
  const { stdout: outputs } = await kernel.execute(
    'while (out.outputs.length < 4) await new Promise(r => setTimeout(r, 5)); console.log(JSON.stringify(out.outputs))'
  );
  expect(JSON.parse(outputs) as unknown).toEqual([
    { output_type: 'stream', name: 'stdout', text: 'inside\n' },
    { output_type: 'stream', name: 'stderr', text: 'after an await\n' },
    { output_type: 'display_data', data: { 'text/plain': 'shown' }, metadata: {} },
    { output_type: 'stream', name: 'stdout', text: 'handler 9\n' }
  ]);
});

test('an error of captured work is an error output with its position in the cell', async () => {
  const { reply } = await kernel.execute(`
    const failing = new Output();
    failing.capture(() => { throw new TypeError('captured'); });`);
  expect(reply).toMatchObject({ status: 'error', ename: 'TypeError' });
  const { result } = await kernel.execute('failing.outputs[0].traceback.join("\\n")');
  expect(plain(result)).toContain('Cell [');
});

test('work of an Output can ask questions, which name its cell', async () => {
  const asked = kernel.question(kernel.questions.length);
  const cell = kernel.startExecution(
    `const answered = await out.capture(async () => { const answer = await input('Well? '); console.log('heard ' + answer); return answer; });`,
    { allow_stdin: true }
  );
  const { parentId, header } = await asked;
  expect(parentId).toBe(cell);
  kernel.answer('yes', header);
  await kernel.finish(cell);
  expect((await kernel.execute('[answered, out.outputs.at(-1).text.endsWith("heard yes\\n")]')).result).toBe(
    "[ 'yes', true ]"
  );
});

test('interact shows controls, and runs its function again when one changes', async () => {
  const { messages } = await kernel.execute(`
    const made = interact(({ n, loud }) => { console.log((loud ? 'N ' : 'n ') + n); return n * n; }, { n: [0, 10], loud: false });`);
  expect(messages.some(({ type }) => type === 'display_data')).toBe(true);
  await change(await idOf('made.controls.n'), { value: 6 });
  await change(await idOf('made.controls.loud'), { value: true });
  const { stdout } = await kernel.execute('console.log(JSON.stringify([made.result, made.out.outputs]))');
  expect(JSON.parse(stdout) as unknown).toMatchObject([
    36,
    [{ text: 'N 6\n' }, { data: { 'text/plain': expect.stringContaining('36') as unknown } }]
  ]);
});

test('an interrupt stops a handler that never ends, and the widget answers again', async () => {
  await kernel.execute(`
    let turns = 0;
    slider.observe('max', () => { for (;;) turns += 1; });`);
  const id = await idOf('slider');
  const stuck = kernel.send('shell', 'comm_msg', {
    comm_id: id,
    data: { method: 'update', state: { max: 200 }, buffer_paths: [] }
  });
  await kernel.published(
    ({ parentId, content }) => parentId === stuck && field(content, 'data', 'method') === 'echo_update'
  );
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.idle(stuck);
  await change(id, { value: 150 });
  expect((await kernel.execute('[slider.value, slider.max, turns > 0]')).result).toBe('[ 150, 200, true ]');
}, 15_000);

test('the checker knows the types of widgets', async () => {
  const code = `slider.val`;
  const { matches } = (await kernel.request('complete_request', { code, cursor_pos: code.length })) as {
    matches: string[];
  };
  expect(matches).toContain('value');
  const hovered = await kernel.request('inspect_request', {
    code: 'slider.readout',
    cursor_pos: 12,
    detail_level: 0
  });
  expect(JSON.stringify(hovered['data'])).toContain('Display the current value of the slider');
});

test('a flood of changes is answered, and the last value stays', async () => {
  const id = await idOf('slider');
  const ids = Array.from({ length: 500 }, (_, value) =>
    kernel.send('shell', 'comm_msg', {
      comm_id: id,
      data: { method: 'update', state: { value: value % 100 }, buffer_paths: [] }
    })
  );
  await Promise.all(ids.map(message => kernel.idle(message)));
  expect((await kernel.execute('slider.value')).result).toBe('99');
});

test('closed widgets leave no memory', async () => {
  const { result } = await kernel.execute(`
    await import('node:v8').then(v8 => v8.setFlagsFromString('--expose-gc'));
    const gc = (await import('node:vm')).runInNewContext('gc');
    const kept = [];
    for (let count = 0; count < 50; count += 1) {
      using temporary = new IntSlider();
      temporary.observe('value', () => count);
      kept.push(new WeakRef(temporary));
    }
    await new Promise(resolve => setTimeout(resolve, 50));
    gc();
    kept.filter(reference => reference.deref() !== undefined).length <= 1`);
  expect(result).toBe('true');
  const { comms } = await kernel.request('comm_info_request', { target_name: 'jupyter.widget' });
  expect(Object.keys(comms as object).length).toBeLessThan(100);
}, 15_000);

test('a restart of the process closes the widgets', async () => {
  const id = await idOf('slider');
  await kernel.execute('process.exit(3)');
  await kernel.published(({ type, content }) => type === 'comm_close' && content['comm_id'] === id);
  expect((await kernel.request('comm_info_request', {}))['comms']).toEqual({});
});
