/** The worked example of docs/data-flow.md: its result, its trace, its hazard, and the version for several devices. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { devices, trace } from 'stridelab';

import { onOneDevice, onSeveralDevices } from './data-flow.ts';
import { device } from './device.ts';

const values = Float32Array.from({ length: 2 ** 20 }, (_, index) => index % 100);
const expected = values.reduce((sum, value) => sum + 2 * value + 1, 0);
const near = (actual: number): void =>
  assert.ok(Math.abs(actual - expected) < expected * 1e-5, `${actual}, not ${expected}`);

test('two streams, a copy in, two kernels, a sum, a copy out', async () => {
  near(await onOneDevice(device, values));
});

test('its trace has the copy before the kernels, and the copy out last', async () => {
  await onOneDevice(device, values); // compiles
  using _trace = trace.start();
  await trace.label('flow', () => onOneDevice(device, values));
  const spans = trace
    .read()
    .events.filter(({ kind }) => ['copy-host-to-device', 'kernel', 'copy-device-to-host'].includes(kind));
  const names = spans.map(({ kind }) => kind);
  assert.equal(names[0], 'copy-host-to-device');
  assert.equal(names.at(-1), 'copy-device-to-host');
  assert.ok(names.filter(name => name === 'kernel').length >= 3, names.join());
  const [copy, kernel] = [spans[0], spans.find(({ kind }) => kind === 'kernel')];
  assert.notEqual(copy?.stream, kernel?.stream);
  assert.ok((copy?.end as number) <= (kernel?.start as number) + 1, 'the kernel starts after the copy');
  const { traceEvents } = trace.toChrome();
  assert.ok(traceEvents.length > spans.length);
});

test('a removed wait is reported with both accesses, and nothing else is', () => {
  const program = fileURLToPath(new URL('data-flow-hazard.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    env: { ...process.env, STRIDELAB_HAZARDS: '1' }
  });
  assert.equal(status, 0, stderr);
  const { ordered, reports } = JSON.parse(stdout) as {
    ordered: number;
    reports: { kind: string; text: string }[];
  };
  assert.equal(ordered, 0);
  assert.equal(reports.length, 1, JSON.stringify(reports));
  assert.equal(reports[0]?.kind, 'read after write');
  assert.match(reports[0]?.text ?? '', /produce[\s\S]*compute/);
});

const peers = devices().filter(({ kind }) => kind === device.kind);
test('the same flow over several devices', { skip: peers.length < 2 && 'needs two devices' }, async () => {
  near(await onSeveralDevices(peers.slice(0, 2), values));
});
