import liveOutputs from './live-outputs.ts';
import widgets from './widgets.ts';

export default [widgets, liveOutputs];
