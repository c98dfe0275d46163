import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';
import type { LabPage } from './lab-page.ts';
import { LabSession } from './lab-session.ts';
import { codeCells, readNotebook, tourPath, withoutOutputs } from './notebook-files.ts';

const screenshots = join(root, 'build', 'screenshots');

/** The output of the added last cell about the array that the tour inspects. */
interface Probe {
  readonly pointer: string;
  readonly shape: readonly number[];
  readonly strides: readonly number[] | null;
  readonly stream: string | null;
}

/** The name of the array that the tour gives to `inspect`. */
function inspectedName(): string {
  const sources = codeCells(readNotebook(tourPath)).map(cell => [cell.source].flat().join(''));
  const name = sources
    .map(source => /\binspect\((\w+)\)/.exec(source)?.[1])
    .find(found => found !== undefined);
  if (name === undefined) throw new Error('the tour inspects no array');
  return name;
}

function probeSource(name: string): string {
  return [
    `const probed = ${name}.__cuda_array_interface__;`,
    `const hex = (address: bigint | number) => address === 1 || address === 1n ? "1" : "0x" + address.toString(16);`,
    'console.log("probe " + JSON.stringify({',
    '  pointer: hex(probed.data[0]), shape: probed.shape, strides: probed.strides,',
    '  stream: probed.stream == null ? null : hex(probed.stream)',
    '}));'
  ].join('\n');
}

const tuple = (numbers: readonly number[]): string =>
  `(${numbers.join(', ')}${numbers.length === 1 ? ',' : ''})`;

describe('the tour in JupyterLab', () => {
  let session: LabSession;
  let lab: LabPage;
  let probe: Probe;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    const base = withoutOutputs(readNotebook(tourPath));
    session = await LabSession.start('tour', [probeSource(inspectedName())], { base });
    lab = session.lab;
    const printed = lab.page.locator('pre', { hasText: /^probe \{/ });
    await printed.waitFor({ timeout: 60_000 });
    probe = JSON.parse(((await printed.textContent()) ?? '').replace('probe ', '')) as Probe;
  }, 180_000);

  afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

  test('every cell ran, and nothing on the page failed', async () => {
    expect(await lab.errorOutputs()).toEqual([]);
    expect(lab.complaints).toEqual([]);
  });

  test('last-expression arrays show static pictures', async () => {
    await lab.pictures().first().waitFor();
    expect(await lab.pictures().count()).toBeGreaterThanOrEqual(2);
  }, 30_000);

  test('the widget follows the array: pointer, shape, strides and stream are those that a cell prints', async () => {
    const inspector = lab.liveInspector();
    await inspector.element.waitFor({ timeout: 30_000 });
    expect(await inspector.press('Refresh')).not.toBe('');
    expect(await inspector.descriptorValue('data')).toContain(probe.pointer);
    expect(await inspector.descriptorValue('shape')).toBe(tuple(probe.shape));
    expect(await inspector.descriptorValue('strides')).toBe(
      probe.strides === null ? 'None' : tuple(probe.strides)
    );
    expect(await inspector.descriptorValue('stream')).toBe(probe.stream ?? 'None');
    const rows = await inspector.streamRows();
    if (probe.stream !== null) expect(rows.map(([, handle]) => handle)).toContain(probe.stream);
  }, 60_000);

  test('a click on Synchronize reaches the kernel, and every stream is idle afterwards', async () => {
    const inspector = lab.liveInspector();
    await inspector.press('Synchronize');
    const states = (await inspector.streamRows()).map(([, , state]) => state);
    for (const state of states) expect(state).toContain('idle');
  }, 60_000);

  test.each([
    ['JupyterLab Light', 'tour-light.png'],
    ['JupyterLab Dark', 'tour-dark.png']
  ] as const)(
    'keeps a picture in %s',
    async (theme, file) => {
      await lab.setTheme(theme);
      const inspector = lab.liveInspector();
      await inspector.showTab('Descriptor');
      await inspector.element.evaluate(element =>
        (element.closest('.jp-Cell') ?? element).scrollIntoView({ block: 'start' })
      );
      await lab.page.screenshot({ path: join(screenshots, file) });
      expect(await inspector.element.isVisible()).toBe(true);
    },
    60_000
  );
});
