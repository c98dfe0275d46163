/** Comm messages in any number: memory is bounded, interrupts work, and nothing is lost. */

import { jest } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import type { JupyterMessage } from '../../kernel/protocol/messages.ts';
import { CommDeliveries, MAX_WAITING } from '../../kernel/front/requests/comm-deliveries.ts';
import { field, WITHOUT_TYPES, type Content, type Message } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

// Tens of thousands of messages, on a machine that may be busy.
jest.setTimeout(240_000);

describe('comm messages that wait for the executor', () => {
  const message = (id: string): JupyterMessage =>
    ({
      header: { msg_id: id },
      content: { data: 'long' },
      buffers: [new Uint8Array(9)]
    }) as unknown as JupyterMessage;
  /** Whether reading pauses, or has resumed since the promise was made. */
  const state = async (paused: Promise<void> | undefined): Promise<string> => {
    let now = paused === undefined ? 'reads' : 'pauses';
    void paused?.then(() => (now = 'resumed'));
    await turn();
    return now;
  };

  test('stop the reading of requests when they are many, until half of them are handled', async () => {
    const deliveries = new CommDeliveries(() => 0);
    for (let id = 1; id <= MAX_WAITING; id += 1) deliveries.add(message(`${id}`));
    expect(deliveries.paused).toBeUndefined();
    deliveries.add(message('0'));
    const { paused } = deliveries;
    for (let id = 1; id <= MAX_WAITING / 2; id += 1) deliveries.handled(`${id}`);
    expect(await state(paused)).toBe('pauses');
    deliveries.handled('0');
    expect([await state(paused), await state(deliveries.paused)]).toEqual(['resumed', 'reads']);
    expect(deliveries.ids()).toHaveLength(MAX_WAITING / 2);
  });

  test('stop it when they are large, and one that is larger than the limit only until it is handled', async () => {
    let unsent = 100_000_000;
    const deliveries = new CommDeliveries(() => unsent);
    deliveries.add(message('a'));
    const { paused } = deliveries;
    expect(await state(paused)).toBe('pauses');
    deliveries.add(message('b'));
    deliveries.handled('b');
    expect(await state(paused)).toBe('pauses');
    unsent = 0;
    deliveries.handled('a');
    expect(await state(paused)).toBe('resumed');
    unsent = 100_000_000;
    deliveries.add(message('c'));
    deliveries.handled('c');
    expect(deliveries.paused).toBeUndefined();
  });

  test('are kept without their contents, and handled once', () => {
    const deliveries = new CommDeliveries(() => 0);
    deliveries.add(message('a'));
    expect(deliveries.handled('a')).toMatchObject({ header: { msg_id: 'a' }, content: {}, buffers: [] });
    expect(deliveries.handled('a')).toBeUndefined();
  });
});

describe('a kernel', () => {
  withKernel('tcp', WITHOUT_TYPES);
  const busy = ({ type, content }: Message): boolean =>
    type === 'status' && content['execution_state'] === 'busy';

  test('reads a limited number of updates while a cell computes, stops at an interrupt, and then handles all', async () => {
    const id = await last(
      "import { IntSlider } from 'stridelab/widgets'; const slider = new IntSlider({ max: 1e9 }); const seen: number[] = [];",
      "slider.observe('value', change => { seen.push(change.new); }); slider.model_id"
    );
    const comm_id = id!.replaceAll("'", '');
    const cell = kernel.startExecution("console.log('computes'); for (;;) {}");
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === cell);
    const count = MAX_WAITING + 1_000;
    const ids = new Set<string>();
    let latest = '';
    for (let value = 1; value <= count; value += 1) {
      latest = kernel.send('shell', 'comm_msg', { comm_id, data: { method: 'update', state: { value } } });
      ids.add(latest);
    }
    const read = (): number => kernel.iopub.filter(each => busy(each) && ids.has(each.parentId)).length;
    let reading = 0;
    await kernel.published(each => {
      if (busy(each) && ids.has(each.parentId)) reading += 1;
      return reading > MAX_WAITING;
    });
    // A request of the other channel is answered, and nothing more was read before it.
    await kernel.request('kernel_info_request', {}, 'control');
    expect(read()).toBe(MAX_WAITING + 1);
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(cell)).reply['ename']).toBe('Interrupted');
    await kernel.idle(latest);
    expect(read()).toBe(count);
    expect(
      await last('[seen.length, seen.every((value, index) => value === index + 1), slider.value].join()')
    ).toBe(`'${count},true,${count}'`);
  });

  test('sends the last value of a widget that changes a million times, in few messages', async () => {
    const { messages, reply } = await kernel.execute(
      'for (let value = 0; value < 1_000_000; value += 1) slider.value = value;'
    );
    expect(reply['status']).toBe('ok');
    const updates = messages.filter(({ type }) => type === 'comm_msg');
    expect(updates.length).toBeLessThan(10_000);
    expect(field(updates.at(-1), 'content', 'data', 'state')).toEqual({ value: 999_999 });
  });

  test('forgets widgets that are closed, and the page receives all of their messages', async () => {
    const open = async (): Promise<string[]> =>
      Object.keys((await kernel.request('comm_info_request', {}))['comms'] as Content);
    const before = await open();
    const { messages } = await kernel.execute(
      'for (let n = 0; n < 600; n += 1) { const made = new IntSlider(); made.layout.close(); made.style.close(); made.close(); }'
    );
    const comms = (type: string): unknown[] =>
      messages.filter(each => each.type === type).map(({ content }) => content['comm_id']);
    expect(comms('comm_open')).toHaveLength(1_800);
    expect(new Set(comms('comm_close'))).toEqual(new Set(comms('comm_open')));
    expect(await open()).toEqual(before);
  });
});
