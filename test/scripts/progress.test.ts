import { percentOf, Progress } from '../../scripts/setup/progress.mjs';

test.each([
  ['[1/180] Building CXX object a.o', 0],
  ['[90/180] Building CXX object a.o\n[91/180] Building CXX object b.o', 50],
  ['[180/180] Linking', 100],
  ['[  7%] Building CXX object a.o', 7],
  ['warning: array[3/4] is odd', undefined],
  ['', undefined]
])('%j is at %p percent', (text, percent) => expect(percentOf(text)).toBe(percent));

class Screen {
  readonly isTTY: boolean;
  text = '';
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

describe('during a step', () => {
  beforeEach(() => import.meta.jest.useFakeTimers());
  afterEach(() => import.meta.jest.useRealTimers());
  const pass = (seconds: number): void => void import.meta.jest.advanceTimersByTime(seconds * 1000);

  test('a terminal has one line, rewritten each second', () => {
    const screen = new Screen(true);
    const progress = new Progress('building', 'it is missing', screen);
    pass(2);
    progress.read('[30/60] Building');
    pass(1);
    progress.end(true);
    pass(60);
    expect(screen.text.split('\r\x1b[K')).toEqual([
      '',
      'setup: building: 0 s',
      'setup: building: 1 s',
      'setup: building: 2 s',
      'setup: building: 50 %, 3 s',
      'setup: building: took 3.0 s\n'
    ]);
  });

  test('a log has the reason, a line every ten seconds, and the end', () => {
    const screen = new Screen(false);
    const progress = new Progress('building', 'it is missing', screen);
    progress.read('[ 40%] Building');
    pass(25);
    progress.end(false);
    pass(60);
    expect(screen.text.split('\n')).toEqual([
      'setup: building (it is missing)',
      'setup: building: 40 %, 10 s so far',
      'setup: building: 40 %, 20 s so far',
      'setup: failed after 25.0 s',
      ''
    ]);
  });
});
