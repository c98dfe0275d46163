import { lineCounter, percentOf, Progress } from '../../scripts/setup/progress.mjs';

test.each([
  ['[1/180] Building CXX object a.o', 0],
  ['[90/180] Building CXX object a.o\n[91/180] Building CXX object b.o', 50],
  ['[180/180] Linking', 100],
  ['[  7%] Building CXX object a.o', 7],
  ['warning: array[3/4] is odd', undefined],
  ['', undefined]
])('%j is at %p percent', (text, percent) => expect(percentOf(text)).toBe(percent));

test('lines are counted across the pieces in which they arrive', () => {
  const count = lineCounter(/^Collecting /);
  expect(count('Collecting a\nColl')).toBe(1);
  expect(count('ecting b\n  Downloading b\n')).toBe(2);
  expect(count('')).toBe(2);
  expect(count('Collecting c')).toBe(2);
  expect(count('\n')).toBe(3);
});

/** A terminal of some columns, or a log. */
class Screen {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  written = '';
  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }
  write(text: string): void {
    this.written += text;
  }

  /** Returns the lines that a terminal would show, which understands the few sequences that are written. */
  get lines(): string[] {
    const lines = [''];
    let row = 0;
    let column = 0;
    for (const [part] of this.written.matchAll(/\x1b\[(\d*)([AJ])|[^\x1b]/g)) {
      if (part === '\r') column = 0;
      else if (part === '\n') [row, column] = [row + 1, 0];
      else if (part.endsWith('A') && part.length > 1) row -= Number(part.slice(2, -1));
      else if (part === '\x1b[J') lines.splice(row, lines.length, (lines[row] ?? '').slice(0, column));
      else {
        lines[row] = (lines[row] ?? '').slice(0, column) + part + (lines[row] ?? '').slice(column + 1);
        column += 1;
      }
      lines[row] ??= '';
    }
    return lines;
  }
}

describe('during a step', () => {
  beforeEach(() => import.meta.jest.useFakeTimers());
  afterEach(() => import.meta.jest.useRealTimers());
  const pass = (seconds: number): void => void import.meta.jest.advanceTimersByTime(seconds * 1000);

  test('a terminal has one line, rewritten each second', () => {
    const screen = new Screen(80);
    const progress = new Progress('building', 'it is missing', screen);
    expect(screen.lines).toEqual(['setup: building: 0 s']);
    pass(2);
    expect(screen.lines).toEqual(['setup: building: 2 s']);
    progress.at('50 %');
    pass(1);
    expect(screen.lines).toEqual(['setup: building: 50 %, 3 s']);
    progress.end(true);
    pass(60);
    expect(screen.lines).toEqual(['setup: building: took 3.0 s', '']);
  });

  test('a terminal has one line for each step that runs, below those that ended', () => {
    const screen = new Screen(80);
    const packages = new Progress('packages', 'it is missing', screen);
    const python = new Progress('python', 'it is missing', screen);
    packages.at('package 3 of 9');
    pass(2);
    expect(screen.lines).toEqual(['setup: packages: package 3 of 9, 2 s', 'setup: python: 2 s']);
    packages.end(true);
    expect(screen.lines).toEqual(['setup: packages: took 2.0 s', 'setup: python: 2 s']);
    const native = new Progress('native', 'it is missing', screen);
    pass(1);
    expect(screen.lines.slice(1)).toEqual(['setup: python: 3 s', 'setup: native: 1 s']);
    native.end(false);
    python.end(true);
    pass(60);
    expect(screen.lines).toEqual([
      'setup: packages: took 2.0 s',
      'setup: native: failed after 1.0 s',
      'setup: python: took 3.0 s',
      ''
    ]);
  });

  test('a line never takes two of a narrow terminal', () => {
    const screen = new Screen(20);
    const progress = new Progress('installing everything', 'it is missing', screen);
    const other = new Progress('more', 'it is missing', screen);
    pass(3);
    expect(screen.lines).toEqual(['setup: installing e', 'setup: more: 3 s']);
    progress.end(true);
    other.end(true);
  });

  test('a log has the reason, a line every ten seconds, and the end, each with the name of its step', () => {
    const screen = new Screen();
    const progress = new Progress('building', 'it is missing', screen);
    progress.at('40 %');
    const other = new Progress('packing', 'its inputs changed', screen);
    pass(5);
    other.end(true);
    pass(20);
    progress.end(false);
    pass(60);
    expect(screen.written.split('\n')).toEqual([
      'setup: building (it is missing)',
      'setup: packing (its inputs changed)',
      'setup: packing: took 5.0 s',
      'setup: building: 40 %, 10 s so far',
      'setup: building: 40 %, 20 s so far',
      'setup: building: failed after 25.0 s',
      ''
    ]);
  });
});
