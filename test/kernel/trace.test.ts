/** Traces inside a real kernel: the cell that submitted each operation, and the picture as a result. */

import { field, WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

test('records name their cells, also after awaits while another cell runs, and the trace has a picture', async () => {
  await kernel.execute(`
    import { Stream, trace, zeros } from 'stridelab';
    const stream = new Stream({ device: 'sim:0' });
    const a = zeros(4, { dtype: 'uint8', stream });
    trace.start();`);
  await kernel.execute(
    'a.fill(1); const later = new Promise(resolve => setTimeout(() => { a.fill(2); resolve(0); }, 300)); 0'
  );
  await kernel.execute('a.fill(3); await later; a.fill(4); stream.synchronize();');
  const { result } = await kernel.execute(
    "JSON.stringify(trace.read().events.filter(({ kind }) => kind === 'fill').map(({ cell }) => cell))"
  );
  expect(result).toBe(`'${JSON.stringify(['In [2]', 'In [3]', 'In [2]', 'In [3]'])}'`);
  const shown = await kernel.execute('trace.stop(); trace');
  const message = shown.messages.find(({ type }) => type === 'execute_result');
  expect(field<string>(message?.content, 'data', 'text/html')).toContain('fill: ');
  expect(field<string>(message?.content, 'data', 'text/plain')).toContain('trace of 4 operations');
});
