import { LabIcon } from '@jupyterlab/ui-components';

/** Icon of three by three elements, of which a strided view covers every other one. */
export const arraysIcon = new LabIcon({
  name: 'stridelab:arrays',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22"><g class="jp-icon3 jp-icon-selectable" fill="#616161">' +
    '<path d="M3 3h4v4H3zM15 3h4v4h-4zM9 9h4v4H9zM3 15h4v4H3zM15 15h4v4h-4z"/>' +
    '<path d="M9 3h4v4H9zM3 9h4v4H3zM15 9h4v4h-4zM9 15h4v4H9z" opacity=".4"/></g></svg>'
});
