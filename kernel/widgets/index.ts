/** Jupyter widgets for cells: imported as `stridelab/widgets`. */

export * from './controls/index.ts';
export { WIDGET_STATE_MIME_TYPE, widgetState, type SavedState, type SaveOptions } from './saved-state.ts';
export * as traits from './traits.ts';
export { Widget, type Change, type MessageHandler, type WidgetOptions } from './widget.ts';
export { widgetClass, type WidgetClass } from './widget-class.ts';
export type { Settle, WidgetNames, WidgetSpec } from './widget-spec.ts';
