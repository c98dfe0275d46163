/** Jupyter widgets for cells: imported as `stridelab/widgets`. */

export { WidgetModel, type WidgetNames, type WidgetState } from './widget-model.ts';
