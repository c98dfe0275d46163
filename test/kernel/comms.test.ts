import { WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

const types = (id: string): string[] =>
  kernel.iopub.filter(({ parentId }) => parentId === id).map(({ type }) => type);

test('a comm of an unknown target is closed, within busy and idle', async () => {
  const id = kernel.send('shell', 'comm_open', { comm_id: 'u', target_name: 'unknown', data: {} });
  await kernel.idle(id);
  expect(types(id)).toEqual(['status', 'comm_close', 'status']);
});

test('the control target sends the states, with buffer paths even if there are none', async () => {
  await kernel.idle(
    kernel.send('shell', 'comm_open', { comm_id: 'ctl', target_name: 'jupyter.widget.control', data: {} })
  );
  const id = kernel.send('shell', 'comm_msg', { comm_id: 'ctl', data: { method: 'request_states' } });
  await kernel.idle(id);
  const answer = kernel.iopub.find(({ type, parentId }) => type === 'comm_msg' && parentId === id);
  expect(answer!.content['data']).toEqual({ method: 'update_states', states: {}, buffer_paths: [] });
});

test('comm messages are handled while a cell awaits', async () => {
  const cell = kernel.startExecution('await new Promise(() => {})');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === cell);
  const id = kernel.send('shell', 'comm_msg', { comm_id: 'ctl', data: { method: 'request_states' } });
  await kernel.idle(id);
  const replied = kernel.iopub.filter(({ type, parentId }) => type === 'status' && parentId === cell);
  expect(replied.every(({ content }) => content['execution_state'] === 'busy')).toBe(true);
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.finish(cell);
});

test('comm_info lists the open ones', async () => {
  const all = (await kernel.request('comm_info_request', {}))['comms'];
  expect(all).toEqual({ ctl: { target_name: 'jupyter.widget.control' } });
  await kernel.idle(kernel.send('shell', 'comm_close', { comm_id: 'ctl', data: {} }));
  expect((await kernel.request('comm_info_request', {}))['comms']).toEqual({});
});
