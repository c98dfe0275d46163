import { lab, withSession } from './lab-session.ts';
import { codeCells, readNotebook, tourPath, withoutOutputs } from './notebook-files.ts';
import { saveScreenshot } from './screenshot.ts';

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
  let probe: Probe;

  withSession('tour', [probeSource(inspectedName())], { base: withoutOutputs(readNotebook(tourPath)) });
  beforeAll(async () => {
    const printed = lab.page.locator('pre', { hasText: /^probe \{/ });
    await printed.waitFor({ timeout: 60_000 });
    probe = JSON.parse(((await printed.textContent()) ?? '').replace('probe ', '')) as Probe;
  }, 180_000);

  test('every cell ran, without errors on the page', async () => {
    expect(await lab.errorOutputs()).toEqual([]);
    expect(lab.complaints).toEqual([]);
  });

  test('last-expression arrays show static pictures', async () => {
    await lab.pictures().first().waitFor();
    expect(await lab.pictures().count()).toBeGreaterThanOrEqual(2);
  }, 30_000);

  test('the widget follows the array: its pointer, shape, strides and stream match those that a cell prints', async () => {
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
    ['JupyterLab Light', 'tour-light'],
    ['JupyterLab Dark', 'tour-dark']
  ] as const)(
    'a screenshot is saved in %s',
    async (theme, file) => {
      await lab.setTheme(theme);
      const inspector = lab.liveInspector();
      await inspector.showTab('Descriptor');
      await inspector.element.evaluate(element =>
        (element.closest('.jp-Cell') ?? element).scrollIntoView({ block: 'start' })
      );
      await saveScreenshot(lab.page, file);
      expect(await inspector.element.isVisible()).toBe(true);
    },
    60_000
  );
});
