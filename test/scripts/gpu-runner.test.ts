import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runFile, type FileRun } from '../gpu/runner/process.ts';
import { sanitizerProblems } from '../gpu/runner/sanitizer.ts';
import { jobsOf, Schedule, type Job } from '../gpu/runner/schedule.ts';
import { fileText, summaryText } from '../gpu/runner/summary.ts';
import { until } from '../setup/until.ts';

describe('the schedule', () => {
  const jobs = (...files: string[]): Job[] => files.flatMap(file => jobsOf(file, 2));
  /** Starts all that can run now: `file@devices`. */
  function started(schedule: Schedule): { names: string[]; jobs: Job[] } {
    const found = { names: [] as string[], jobs: [] as Job[] };
    for (let next = schedule.start(); next !== undefined; next = schedule.start()) {
      found.names.push(`${next.job.file.split('.')[0]}${next.job.part ?? ''}@${next.devices.join()}`);
      found.jobs.push(next.job);
    }
    return found;
  }

  test('files share devices, spread over them, and those that need one for themselves come last', () => {
    const schedule = new Schedule(jobs('a.alone.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'), {
      jobs: 8,
      slots: [9, 9]
    });
    const first = started(schedule);
    expect(first.names).toEqual(['b@0', 'c@1', 'd@0']);
    schedule.end(first.jobs[1]!);
    const alone = started(schedule);
    expect(alone.names).toEqual(['a@1']);
    schedule.end(first.jobs[0]!);
    expect(started(schedule).names).toEqual([]);
  });

  test('nothing shares a device with a file that runs alone', () => {
    const schedule = new Schedule(jobs('a.alone.test.ts', 'b.alone.test.ts'), { jobs: 8, slots: [9] });
    const first = started(schedule);
    expect(first.names).toEqual(['a@0']);
    schedule.end(first.jobs[0]!);
    expect(started(schedule).names).toEqual(['b@0']);
  });

  test('a file for all devices gets all, and alone only when all are idle', () => {
    const schedule = new Schedule(jobs('a.all.alone.test.ts', 'b.all.test.ts', 'c.test.ts'), {
      jobs: 8,
      slots: [9, 9, 9]
    });
    const first = started(schedule);
    expect(first.names).toEqual(['b@0,1,2', 'c@0']);
    schedule.end(first.jobs[0]!);
    expect(started(schedule).names).toEqual([]);
    schedule.end(first.jobs[1]!);
    expect(started(schedule).names).toEqual(['a@0,1,2']);
  });

  test('the memory of a device and the number of cores bound what runs', () => {
    const files = ['a', 'b', 'c', 'd', 'e'].map(name => `${name}.test.ts`);
    const memory = started(new Schedule(jobs(...files), { jobs: 9, slots: [1, 2] }));
    expect(memory.names).toEqual(['a@0', 'b@1', 'c@1']);
    const cores = started(new Schedule(jobs(...files), { jobs: 2, slots: [9, 9] }));
    expect(cores.names).toEqual(['a@0', 'b@1']);
  });

  test('the parts of a file are jobs of their own', () => {
    const schedule = new Schedule(jobs('a.parts.test.ts'), { jobs: 9, slots: [9] });
    expect(started(schedule).names).toEqual(['a1/2@0', 'a2/2@0']);
    expect(jobsOf('a.parts.test.ts', 1)).toEqual([
      { file: 'a.parts.test.ts', part: null, alone: false, all: false }
    ]);
  });
});

describe('a file', () => {
  const logs = mkdtempSync(join(tmpdir(), 'stridelab-gpu-runner-'));
  afterAll(() => rmSync(logs, { recursive: true, force: true }));

  async function run(name: string, body: string, timeout = 60): Promise<FileRun> {
    const file = join(logs, `${name}.mjs`);
    writeFileSync(
      file,
      `import { describe, test, before } from 'node:test'; import assert from 'node:assert';\n${body}`
    );
    const environment = { OF_THE_RUN: 'yes' };
    return runFile({ name, file, under: [], environment, timeout, logs });
  }
  const failuresOf = ({ failures }: FileRun): string[] =>
    failures.map(({ test, text }) => `${test}: ${text}`);

  test('is counted by its tests, with the reasons of failures and of skipped tests', async () => {
    const found = await run(
      'counts',
      `describe('suite', () => {
         test('right', () => console.log('printed by', process.env.OF_THE_RUN));
         test('wrong', () => assert.fail('what was wrong'));
         test('left out', { skip: 'no room' }, () => {});
         test('left out later', t => t.skip('too slow'));
       });
       describe('whole suite', { skip: 'no device' }, () => test('x', () => {}));
       describe('with a hook', () => { before(() => { throw new Error('in the hook'); }); test('y', () => {}); });
       test('with parts', async t => { await t.test('part', () => assert.fail('in a part')); });`
    );
    expect(found.passed).toBe(1);
    expect(failuresOf(found)).toEqual([
      'suite > wrong: what was wrong',
      'with a hook > y: test did not finish before its parent and was cancelled',
      'with a hook: in the hook',
      'with parts > part: in a part'
    ]);
    expect(found.skips).toEqual([
      expect.objectContaining({ test: 'suite > left out', text: 'no room' }),
      expect.objectContaining({ test: 'suite > left out later', text: 'too slow' }),
      expect.objectContaining({ test: 'whole suite', text: 'no device' })
    ]);
    expect(found.output).toContain('printed by yes');
    expect(fileText(found)).toContain('printed by yes');
  });

  test.each([
    ['a signal', `test('b', () => process.kill(process.pid, 'SIGSEGV'));`, /^ended by SIGSEGV/],
    ['an exit in a test', `test('b', () => process.exit(0));`, /^exited with 0 before the end of its tests/],
    [
      'an exit status',
      `process.on('exit', () => (process.exitCode = 3)); test('b', () => {});`,
      /^exited with 3/
    ],
    ['an error before its tests', `throw new Error('at the import');`, /^exited with 1/],
    ['having no tests', '', /^exited with 0 before the end of its tests/]
  ])('that ends by %s fails', async (name, body, expected) => {
    const found = await run(name.replaceAll(' ', '-'), body);
    expect(found.failures.map(({ text }) => text)).toEqual([expect.stringMatching(expected)]);
  });

  test('that hangs is killed with its children, and names the last result', async () => {
    const found = await run(
      'hangs',
      `import { spawn } from 'node:child_process';
       test('first', async () => { await new Promise(resolve => setTimeout(resolve, 50)); });
       test('second', async () => {
         console.log('child', spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid);
         await new Promise(() => setInterval(() => {}, 1000));
       });`,
      3
    );
    expect(failuresOf(found)).toEqual([
      '(the file): did not end within 3 s: killed after the result of "first"'
    ]);
    const child = Number(/child (\d+)/.exec(found.output)?.[1]);
    const exists = (): boolean => {
      try {
        return process.kill(child, 0);
      } catch {
        return false;
      }
    };
    await until(() => !exists());
  });
});

test('the summary ends with the failures and a line that counts', () => {
  const text = summaryText(
    [
      { name: 'a', seconds: 1, passed: 3, failures: [], skips: [{ test: 's', text: 'no GPU' }], output: '' },
      { name: 'b', seconds: 9, passed: 1, failures: [{ test: 't', text: 'why' }], skips: [], output: '' },
      { name: 'c', seconds: 2, passed: 0, failures: [], skips: [{ test: 's', text: 'no GPU' }], output: '' }
    ],
    9.4,
    '1 device'
  );
  expect(text.split('\n').slice(1)).toEqual([
    'Slowest files:',
    '     9.0 s  b',
    '     2.0 s  c',
    '     1.0 s  a',
    'Skipped:',
    '  2 because no GPU (a, c)',
    'Failed:',
    '  b: t',
    '    why',
    '4 passed, 1 failed, 2 skipped, in 3 processes and 9 s, 1 device'
  ]);
});

test('errors of a sanitizer are failures, and so is a file that it did not check', () => {
  const logs = mkdtempSync(join(tmpdir(), 'stridelab-gpu-sanitizer-'));
  try {
    mkdirSync(logs, { recursive: true });
    writeFileSync(join(logs, 'a.7.memcheck'), '========= ERROR SUMMARY: 0 errors\n');
    expect(sanitizerProblems('memcheck', 'a', logs)).toEqual([]);
    writeFileSync(join(logs, 'a.8.memcheck'), '========= Invalid read\n========= ERROR SUMMARY: 2 errors\n');
    expect(sanitizerProblems('memcheck', 'a', logs)).toEqual([
      { test: '2 errors of memcheck, a.8.memcheck', text: expect.stringContaining('Invalid read') as string }
    ]);
    writeFileSync(
      join(logs, 'b.9.racecheck'),
      '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n'
    );
    expect(sanitizerProblems('racecheck', 'b', logs)).toHaveLength(1);
    expect(sanitizerProblems('memcheck', 'c', logs)).toEqual([
      { test: 'memcheck', text: 'no process was checked' }
    ]);
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
});
