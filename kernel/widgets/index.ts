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
export { HandshakeDiagram, type HandshakeOptions } from './pictures/handshake/handshake-diagram.ts';
export { WIDGET_STATE_MIME_TYPE, type SavedState } from './model/saved-model.ts';
export { widgetState, type SaveOptions } from './model/saved-state.ts';
export * as traits from './model/traits.ts';
export { Widget, type Change, type MessageHandler, type WidgetOptions } from './model/widget.ts';
export { widgetClass, type WidgetClass } from './model/widget-class.ts';
export type { Settle, WidgetNames, WidgetSpec } from './model/widget-spec.ts';
