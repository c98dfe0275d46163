/** Jupyter widgets for cells: imported as `stridelab/widgets`. */

export {
  AnyWidget,
  anywidget,
  type AnyWidgetDefinition,
  type AnyWidgetOptions,
  type AnyWidgetProperties
} from './anywidget/any-widget.ts';
export { reply, type Command } from './anywidget/commands.ts';
export * from './controls/index.ts';
export { HandshakeDiagram, type HandshakeOptions } from './live/handshake-diagram.ts';
export { WIDGET_STATE_MIME_TYPE, widgetState, type SavedState, type SaveOptions } from './saved-state.ts';
export * as traits from './traits.ts';
export { Widget, type Change, type MessageHandler, type WidgetOptions } from './widget.ts';
export { widgetClass, type WidgetClass } from './widget-class.ts';
export type { Settle, WidgetNames, WidgetSpec } from './widget-spec.ts';
