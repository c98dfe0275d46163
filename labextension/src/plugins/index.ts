import arraysPanel from './arrays-panel.ts';
import running from './running.ts';
import settings from './settings.ts';
import widgets from './widgets.ts';

export default [widgets, settings, arraysPanel, running];
