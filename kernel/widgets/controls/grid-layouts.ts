/** Grids with named areas. */

import type { Widget, WidgetOptions } from '../model/widget.ts';
import { GridBox } from './boxes.ts';
import type { GridBoxProperties } from './boxes.generated.ts';
import { Layout, type LayoutProperties } from './layout.ts';

/** A widget that can be placed in a grid: one with a layout. */
export type GridChild = Widget & { readonly layout: Layout };

type LayoutOption = Layout | WidgetOptions<LayoutProperties>;
type GridOptions = Omit<WidgetOptions<GridBoxProperties>, 'children'>;

/** Options of `AppLayout`. */
export interface AppLayoutOptions extends GridOptions {
  /** The widget at the top. */
  readonly header?: GridChild;
  /** The widget on the left. */
  readonly left_sidebar?: GridChild;
  /** The widget in the middle. */
  readonly center?: GridChild;
  /** The widget on the right. */
  readonly right_sidebar?: GridChild;
  /** The widget at the bottom. */
  readonly footer?: GridChild;
  /** The widths of left sidebar, centre and right sidebar: numbers are fractions, texts are CSS lengths. */
  readonly pane_widths?: readonly [number | string, number | string, number | string];
  /** The heights of header, middle and footer: numbers are fractions, texts are CSS lengths. */
  readonly pane_heights?: readonly [number | string, number | string, number | string];
}

/** A grid with header, footer, centre and two sidebars; neighbours take the space of parts that are left out. */
export class AppLayout extends GridBox {
  constructor({
    header,
    left_sidebar: left,
    center,
    right_sidebar: right,
    footer,
    pane_widths: widths = [1, 2, 1],
    pane_heights: heights = [1, 3, 1],
    ...options
  }: AppLayoutOptions = {}) {
    const places = { header, left, center, right, footer };
    const middle = [left && 'left', center && 'center', right && 'right'];
    const present = middle.filter(name => name !== undefined);
    const columns = present.length > 0 ? widths.filter((_, index) => middle[index] !== undefined) : [1];
    const span = (name: string): string => columns.map(() => name).join(' ');
    const rows = [
      header && { areas: span('header'), height: heights[0] },
      present.length > 0 && { areas: present.join(' '), height: heights[1] },
      footer && { areas: span('footer'), height: heights[2] }
    ].filter(row => row !== undefined && row !== false);
    const children: GridChild[] = [];
    for (const [name, child] of Object.entries(places)) {
      if (child === undefined) continue;
      child.layout.grid_area = name;
      children.push(child);
    }
    const grid = {
      display: 'grid',
      grid_template_columns: columns.map(cssSize).join(' '),
      grid_template_rows: rows.map(({ height }) => cssSize(height)).join(' '),
      grid_template_areas: rows.map(({ areas }) => `"${areas}"`).join(' ')
    };
    super(children, { ...options, layout: withGrid(options, grid) });
  }
}

/** A grid of four widgets, two by two. */
export class TwoByTwoLayout extends GridBox {
  constructor({
    top_left,
    top_right,
    bottom_left,
    bottom_right,
    ...options
  }: GridOptions & {
    readonly top_left: GridChild;
    readonly top_right: GridChild;
    readonly bottom_left: GridChild;
    readonly bottom_right: GridChild;
  }) {
    const children = [top_left, top_right, bottom_left, bottom_right];
    super(children, { ...options, layout: withGrid(options, { grid_template_columns: '1fr 1fr' }) });
  }
}

function withGrid({ layout }: GridOptions, grid: WidgetOptions<LayoutProperties>): LayoutOption {
  if (!(layout instanceof Layout)) return { ...layout, ...grid };
  layout.set(grid);
  return layout;
}

function cssSize(size: number | string): string {
  return typeof size === 'number' ? `${size}fr` : size;
}
