/** The benchmark: how it judges figures, and that it runs on the simulated device without its peers. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictures } from '../../bench/curves.mjs';
import { groupsOf, sizesOf } from '../../bench/measures.mjs';
import { filled } from '../../bench/performance-page.mjs';
import { table, verdicts } from '../../bench/table.mjs';
import { runtimeNode } from '../../scripts/setup/node.mjs';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const time = { key: 'launch', title: 'launch', unit: 'us' } as const;
const rate = { key: 'ops.sum', title: 'sum', unit: 'GB/s' } as const;

test('a row is first if it is ahead of every library, within the noise; the driver is no library', () => {
  const judged = (ours: number, cupy: number): boolean[] =>
    verdicts(time, { stridelab: { launch: ours }, cupy: { launch: cupy }, driver: { launch: 1 } }).map(
      ({ met }) => met
    );
  expect(judged(5, 6)).toEqual([true]);
  expect(judged(6.03, 6)).toEqual([true]);
  expect(judged(6.1, 6)).toEqual([false]);
});

test('the best library counts, for times the least and for rates the most', () => {
  const figures = {
    stridelab: { launch: 5, 'ops.sum': 5 },
    cupy: { launch: 4, 'ops.sum': 4 },
    torch: { launch: 6, 'ops.sum': 6 }
  };
  expect(verdicts(time, figures)).toEqual([{ goal: 'first', met: false }]);
  expect(verdicts(rate, figures)).toEqual([{ goal: 'first', met: false }]);
  expect(verdicts(time, { ...figures, cupy: {} })).toEqual([{ goal: 'first', met: true }]);
});

test('goals are a figure, a factor of the driver, or a fraction of its copies', () => {
  const goals = (ours: number): boolean[] =>
    verdicts(
      { ...time, goal: { at: 4, driver: 1.2 } },
      {
        stridelab: { launch: ours },
        driver: { launch: 3 }
      }
    ).map(({ met }) => met);
  expect(goals(3.5)).toEqual([true, true]);
  expect(goals(3.9)).toEqual([true, false]);
  expect(goals(4.1)).toEqual([false, false]);
  const copied = { stridelab: { 'ops.sum': 3600 }, driver: { 'copy.d2d': 4000 } };
  expect(verdicts({ ...rate, goal: { copy: 0.9 } }, copied)).toEqual([
    { goal: "0.9 of the copy's rate (3,600)", met: true }
  ]);
  expect(verdicts({ ...rate, goal: { copy: 1 } }, copied)[0]?.met).toBe(false);
});

test('a row without our figure has no verdict, and rows that nobody measured are left out', () => {
  expect(verdicts(time, { cupy: { launch: 4 } })).toEqual([]);
  expect(table([time, rate], { cupy: { launch: 4 } }).split('\n')).toHaveLength(3);
});

test('no two rows share a key', () => {
  for (const simulated of [true, false]) {
    const keys = Object.values(groupsOf(sizesOf(simulated))).flatMap(group => group.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
  }
});

test('curves are drawn from the figures that are there, in both themes', async () => {
  expect(pictures({ stridelab: { launch: 1 } })).toEqual([]);
  const drawn = pictures({ stridelab: { 'curve.add.device.10': 1, 'curve.add.device.12': 2 } });
  expect(drawn.map(({ name }) => name)).toEqual(['rates', 'times']);
  const [light, dark] = await Promise.all((['light', 'dark'] as const).map(drawn[0]!.draw));
  expect(light).toMatch(/^<svg /);
  expect(light).toContain('Stridelab');
  expect(light).not.toContain('PyTorch');
  expect(dark).not.toBe(light);
});

test('the tables of docs/performance.md are those of the results that it links', () => {
  const page = readFileSync(join(root, 'docs', 'performance.md'), 'utf8');
  const names = [...page.matchAll(/^\* \[.*\]\(\.\.\/bench\/results\/(.*)\.md\)/gm)].map(([, name]) => name!);
  expect(names).not.toEqual([]);
  const results = names.map(name => {
    const facts = JSON.parse(readFileSync(join(root, 'bench', 'results', `${name}.json`), 'utf8')) as object;
    return { name, ...facts } as Parameters<typeof filled>[1][number];
  });
  expect(filled(page, results)).toBe(page);
});

const benchmark = (...args: string[]): ReturnType<typeof run> =>
  run(runtimeNode(), [join(root, 'bench', 'run.mjs'), 'sim:0', ...args], {
    STRIDELAB_BENCH_PYTHON: '/nowhere/python'
  });

test('a run writes a page and its figures, and names the peers that it cannot start', async () => {
  const folder = temporaryFolder();
  const { status, stdout } = await benchmark('--only', 'graphs', '--out', folder);
  expect(status).toBe(0);
  const files = readdirSync(folder).sort();
  expect(files.map(name => name.replace(/^.*\./, ''))).toEqual(['json', 'md']);
  const { figures } = JSON.parse(readFileSync(join(folder, files[0]!), 'utf8')) as {
    figures: Record<string, Record<string, number>>;
  };
  const graphs = groupsOf(sizesOf(true))['graphs']!.map(({ key }) => key);
  expect(Object.keys(figures['stridelab']!).sort()).toEqual(graphs.sort());
  expect(stdout).toMatch(/Not measured: numpy: .*\/nowhere\/python/);
});

test('an unknown group is an error that lists the groups', async () => {
  const { status, output } = await benchmark('--only', 'graph');
  expect(status).not.toBe(0);
  expect(output).toMatch(/unknown group graph: expected one of calls, operations/);
});
