import arraysPanel from './arrays-panel.ts';
import documentation from './documentation.ts';
import earlyPictures from './early-pictures.ts';
import earlyTypes from './early-types.ts';
import liveOutputs from './live-outputs.ts';
import placedPictures from './placed-pictures.ts';
import resumedCells from './resumed-cells.ts';
import running from './running.ts';
import savedWidgets from './saved-widgets.ts';
import settings from './settings.ts';
import widgets from './widgets.ts';

export default [
  widgets,
  liveOutputs,
  earlyPictures,
  earlyTypes,
  settings,
  arraysPanel,
  running,
  savedWidgets,
  placedPictures,
  resumedCells,
  documentation
];
