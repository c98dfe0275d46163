/** Kinds of records: their names, colours and patterns. */

import { TRACE_KINDS } from '../../../../src/recording/trace/kinds.ts';
import type { Palette } from '../kit/canvas.ts';
import { __ } from '../kit/phrases.ts';

const kindOf = (kind: (typeof TRACE_KINDS)[number]): number => TRACE_KINDS.indexOf(kind);

export const KERNEL = kindOf('kernel');
export const STREAM_WAIT = kindOf('stream-wait');
export const HOST_WAIT = kindOf('host-wait');
export const ALLOCATION = kindOf('allocation');
export const FREE = kindOf('free');
export const LABEL = kindOf('label');

/** The kinds in the legend; both memory kinds share one entry. */
export const SHOWN_KINDS = TRACE_KINDS.map((_, kind) => kind).filter(kind => kind !== FREE);

export function kindWords(): readonly string[] {
  return [
    __('copy to device'),
    __('copy to host'),
    __('copy on device'),
    __('fill'),
    __('kernel'),
    __('graph'),
    __('stream waits'),
    __('host waits'),
    __('memory'),
    __('memory'),
    __('label')
  ];
}

/** By kind; labels have the accent colour. */
const COLOURS = '#3b82c4 #8a63d2 #1f9488 #c98a1b #d1495b #b0477a #80868f #80868f #6a9a3a #6a9a3a'.split(' ');

/** Lines of an 8×8 tile, each by the digits of its endpoints: kinds must differ without colour too. */
const LINES = '0088,0880,0282 0686,2232 6676,,0484 4048,0880 0088,2028 6068'.split(',');

/** Opacity of a bar's tint: waits and labels are paler than work. */
const TINTS: Readonly<Record<number, number>> = { [STREAM_WAIT]: 0.2, [HOST_WAIT]: 0.25, [LABEL]: 0.15 };

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Styles for one theme; after a theme change, create them again. */
export type KindStyles = ReturnType<typeof createKindStyles>;

export function createKindStyles(palette: Palette) {
  const tiles = new Map<number, CanvasPattern | null>();
  const color = (kind: number): string => COLOURS[kind] ?? palette.color('accent');

  const tileOf = (context: CanvasRenderingContext2D, kind: number): CanvasPattern | null => {
    let tile = tiles.get(kind);
    if (tile === undefined) {
      tile = createTile(context, LINES[kind] ?? '', color(kind));
      tiles.set(kind, tile);
    }
    return tile;
  };
  return {
    color,
    /** Fills a bar: a tint, the pattern, and a strong leading edge. `alpha` is small for filtered bars. */
    fill(context: CanvasRenderingContext2D, kind: number, alpha: number, { x, y, width, height }: Bar): void {
      context.fillStyle = color(kind);
      context.globalAlpha = alpha * (TINTS[kind] ?? 0.5);
      context.fillRect(x, y, width, height);
      context.globalAlpha = alpha;
      const tile = LINES[kind] ? tileOf(context, kind) : null;
      if (tile !== null && width > 4) {
        // The pattern is anchored to the bar, so that both move together.
        context.translate(x, y);
        context.fillStyle = tile;
        context.fillRect(0, 0, width, height);
        context.translate(-x, -y);
        context.fillStyle = color(kind);
      }
      context.fillRect(x, y, 2, height);
      context.globalAlpha = 1;
    },
    forget: (): void => tiles.clear()
  };
}

/** Draws a tile at double resolution, so that it is sharp on high-density screens. */
function createTile(context: CanvasRenderingContext2D, lines: string, color: string): CanvasPattern | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 16;
  const tile = canvas.getContext('2d');
  if (tile === null) return null;
  tile.scale(2, 2);
  tile.strokeStyle = color;
  tile.globalAlpha = 0.9;
  for (const line of lines.split(' ')) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [...line].map(Number);
    tile.moveTo(x0, y0);
    tile.lineTo(x1, y1);
  }
  tile.stroke();
  const pattern = context.createPattern(canvas, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(0.5));
  return pattern;
}
