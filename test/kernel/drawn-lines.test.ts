import { Screen } from '../../kernel/front/output/screen.ts';
import { StreamGatherer } from '../../kernel/front/output/stream-gatherer.ts';
import { RewrittenLine, withoutRewritten } from '../../kernel/front/output/rewritten-line.ts';
import { Page, pageText } from './drawn.ts';

const UP = '\x1b[1A';
const ERASE = '\x1b[2K';
const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';

/** Text without styles, as a terminal shows it. */
function screenText(text: string, columns?: number): string {
  const screen = new Screen(columns);
  screen.write(text);
  return pageText(screen.text());
}

function seeded(start: number): (below: number) => number {
  let seed = start;
  return below => (seed = (seed * 48_271) % 2_147_483_647) % below;
}

describe('a screen', () => {
  test.each([
    ['plain\ntext', 'plain\ntext'],
    ['windows\r\nlines\r\n', 'windows\nlines\n'],
    ['long text\rshort\rx', 'xhorttext'],
    ['long text\r\x1b[Kx', 'x'],
    ['abc\x1b[2Dx\x1b[1Gy', 'yxc'],
    ['abc\b\bx', 'axc'],
    ['a\nb\nc\x1b[2A\x1b[1Gx', 'x\nb\nc'],
    ['a\nb\x1b[5A\x1b[1Gx', 'x\nb'],
    ['a\n\nb\x1b[2;3Hx', 'a\n  x\nb'],
    ['a\nb\nc\x1b[1A\r\x1b[Jx', 'a\nx'],
    ['a\nb\x1b[2J\x1b[Hx', 'x\n'],
    ['\x1b7abc\x1b8x', 'xbc'],
    ['日本\x1b[3Gx', '日x'],
    ['e\u0301x\x1b[2Gy', 'e\u0301y'],
    ['a\tb', 'a       b'],
    ['\x1b]8;;http://x\x07link\x1b]8;;\x07', 'link'],
    ['\x1b[999B\x1b[999Cx', `${'\n'.repeat(39)}${' '.repeat(999)}x`]
  ])('shows %j as %j', (text, shown) => {
    expect(screenText(text)).toBe(shown);
  });

  test('wraps long lines for the cursor, and joins them in its text', () => {
    expect(screenText(`abcdefg\n${UP}x`, 4)).toBe('abcdxfg\n');
    expect(screenText('\x1b[?7labcdefg', 4)).toBe('abcg');
  });

  test('keeps the colours of what is left', () => {
    const screen = new Screen();
    screen.write('\x1b[1;31mab\x1b[39mc\x1b[22md\x1b[38;5;200me\x1b[0m\x1b[2G\x1b[48;2;1;2;3mx');
    expect(screen.text()).toBe(
      '\x1b[1m\x1b[31ma\x1b[0m\x1b[48;2;1;2;3mx\x1b[0m\x1b[1mc\x1b[0md\x1b[38;5;200me\x1b[0m'
    );
  });
});

describe('a line that is rewritten', () => {
  test('is sent whole, over all that the page has of it', () => {
    const line = new RewrittenLine();
    expect(line.take('\x1b[32m10 %\x1b[39m done')).toBe('\x1b[32m10 %\x1b[39m done');
    expect(line.take('\r20')).toBe('\r20\x1b[32m %\x1b[0m done ');
    expect(line.take('\r\x1b[Kok')).toBe(`\rok${' '.repeat(17)}`);
    expect(line.take('!')).toBe(`\rok!${' '.repeat(16)}`);
    expect(line.take('\nnext')).toBe(`\rok!${' '.repeat(16)}\nnext`);
    expect(line.take(' line\n')).toBe(' line\n');
    expect(line.isEmpty).toBe(true);
  });

  test('leaves no trace of earlier states in the text that is kept', () => {
    const line = new RewrittenLine();
    const texts = Array.from({ length: 1_000 }, (_, i) => line.take(`\r${i}`));
    expect(withoutRewritten(texts.join(''))).toBe('\r999');
    expect(withoutRewritten('a\nb\rc\n')).toBe('a\n\rc\n');
  });

  test('of any text, in pieces of any size, looks as in a terminal', () => {
    const random = seeded(1);
    const pieces = [
      '\r',
      '\r',
      '\n',
      'ab',
      'xyz',
      '\x1b[3mq',
      '\x1b[0m',
      '\b',
      '\x1b[K',
      '\x1b[2K',
      '\x1b[2G',
      '\x1b[D',
      '\x1b[C'
    ];
    for (let round = 0; round < 2_000; round += 1) {
      const line = new RewrittenLine();
      const texts = Array.from({ length: 30 }, () => pieces[random(pieces.length)]!);
      let sent = '';
      let text = '';
      for (const piece of texts) {
        text += piece;
        if (random(3) > 0) continue;
        sent += line.take(text);
        text = '';
      }
      sent += line.take(text);
      expect(pageText(sent)).toBe(screenText(texts.join('')));
      expect(pageText(withoutRewritten(sent))).toBe(screenText(texts.join('')));
    }
  });

  test('that is endless is forgotten', () => {
    const line = new RewrittenLine();
    expect(line.take('x'.repeat(1e6))).toHaveLength(1e6);
    expect(line.take('\rab').length).toBeLessThan(10);
  });
});

describe('a drawing', () => {
  /** A gatherer whose messages a page takes, with functions that print and that show what is collected. */
  function printer(): {
    page: Page;
    gatherer: StreamGatherer;
    out: (text: string) => void;
    err: (text: string) => void;
  } {
    const page = new Page();
    const gatherer = new StreamGatherer((_, type, content) => page.take(type, content));
    const print = (name: 'stdout' | 'stderr') => (text: string) => gatherer.append('cell', name, text);
    return { page, gatherer, out: print('stdout'), err: print('stderr') };
  }

  test('of a task list is one display, which is updated', () => {
    const { page, gatherer, out } = printer();
    out(`before\n${HIDE}`);
    for (let i = 0; i < 10; i += 1) {
      out(`${i === 0 ? '' : `${ERASE}${UP}${ERASE}${UP}${ERASE}\x1b[G`}task a ${i}\ntask b ${i}\n`);
      gatherer.flush();
    }
    out(`${SHOW}after\n`);
    gatherer.flush();
    expect(page.outputs).toEqual(['stdout: before\n', 'drawing: task a 9\ntask b 9', 'stdout: after\n']);
  });

  test('of two streams is one, with what is printed while it is drawn', () => {
    const { page, gatherer, out, err } = printer();
    err(`${HIDE}\x1b[1G⠋ loading`);
    gatherer.flush();
    err('\x1b[1G\x1b[0K');
    out('between\n');
    err('\x1b[1G⠙ loading');
    gatherer.flush();
    err(`\x1b[1G\x1b[0K${SHOW}✔ done\n`);
    gatherer.flush();
    expect(page.outputs).toEqual(['drawing: between', 'stderr: ✔ done\n']);
  });

  test('is continued if the cursor is hidden again, also for each state', () => {
    const { page, gatherer, out } = printer();
    for (let i = 0; i < 5; i += 1) {
      out(`${HIDE}${i === 0 ? '' : UP}${ERASE}state ${i}\n${SHOW}`);
      gatherer.flush();
    }
    expect(page.outputs).toEqual(['drawing: state 4']);
  });

  test('looks the same with sequences and characters in pieces', () => {
    const { page, gatherer } = printer();
    const text = `${HIDE}\x1b[32m日\x1b[39m\nb\n\x1b[2A\x1b[1G\x1b[31mx\x1b[39m\n\n${SHOW}end\n`;
    for (const byte of Buffer.from(text)) {
      gatherer.appendBytes('cell', 'stdout', Buffer.from([byte]));
      gatherer.flush();
    }
    expect(page.outputs).toEqual(['drawing: x\nb', 'stdout: end\n']);
  });

  test('that moves up without hiding the cursor ends when much is printed', () => {
    const { page, gatherer, out } = printer();
    out('first\n');
    gatherer.flush();
    out(`${UP}\x1b[Ja\nb\n\x1b[2A\x1b[Jc\nd\n`);
    for (let i = 0; i < 60; i += 1) out(`line ${i}\n`);
    gatherer.flush();
    const [first, drawing, rest] = page.outputs;
    expect(first).toBe('stdout: first\n');
    expect(drawing).toMatch(/^drawing: c\nd\nline 0\n/);
    expect(rest).toMatch(/^stdout: line \d+\n[^]*line 59\n$/);
  });

  test('with thousands of lines above it is split, and loses none', () => {
    const { page, gatherer, out } = printer();
    out(`${HIDE}spinner`);
    for (let i = 0; i < 1_000; i += 1) {
      out(`\r${ERASE}line ${i}\nspinner`);
      gatherer.flush();
    }
    expect(page.outputs.length).toBeLessThan(8);
    expect(page.outputs.map(text => text.replace('drawing: ', '')).join('\n')).toBe(
      `${Array.from({ length: 1_000 }, (_, i) => `line ${i}`).join('\n')}\nspinner`
    );
  });

  test('does not take what is printed after another output, and ends with a clear', () => {
    const { page, gatherer, out } = printer();
    out(`${HIDE}a\n${SHOW}`);
    gatherer.flushBefore('cell', 'display_data');
    out(`${HIDE}${UP}b\n`);
    gatherer.flushBefore('cell', 'update_display_data');
    out(`${UP}c\n`);
    gatherer.flushBefore('cell', 'clear_output');
    out('d\n');
    gatherer.flush();
    expect(page.outputs).toEqual(['drawing: a', 'drawing: c', 'stdout: d\n']);
  });

  test('of more cells than can be remembered stays in its last state', () => {
    const pages = new Map<string, Page>();
    const gatherer = new StreamGatherer((cell, type, content) => {
      const page = pages.get(cell) ?? new Page();
      pages.set(cell, page);
      page.take(type, content);
    });
    for (let i = 0; i < 150; i += 1) gatherer.append(String(i), 'stdout', `${HIDE}cell ${i}`);
    gatherer.flush();
    for (const [cell, page] of pages) expect(page.outputs).toEqual([`drawing: cell ${cell}`]);
    expect(pages.size).toBe(150);
  });
});
