import { until } from '../setup/until.ts';
import { KernelClient, WITHOUT_TYPES } from './client.ts';

test('with NODE_DEBUG=stridelab the front logs each message between its process and the executor', async () => {
  const kernel = await KernelClient.start('tcp', { ...WITHOUT_TYPES, NODE_DEBUG: 'stridelab' });
  try {
    const { stderr } = await kernel.execute('6 * 7');
    expect(stderr).toBe('');
    await until(() => /from the executor: \{\s+kind: 'executed'/.test(kernel.stderr));
    expect(kernel.stderr).toMatch(/to the executor: \{\s+kind: 'execute',[^]*6 \* 7/);
  } finally {
    await kernel.close();
  }
});

test('without it the front logs nothing', async () => {
  const kernel = await KernelClient.start('tcp', WITHOUT_TYPES);
  try {
    await kernel.execute('6 * 7');
    expect(kernel.stderr).toBe('');
  } finally {
    await kernel.close();
  }
});
