/**
 * Loaded by the classic notebook (nbclassic) for notebooks of this kernel, and by no other page. The classic notebook cannot load the
 * extension, so a live picture is shown as the static one of the same output, with the reason.
 */
define(['base/js/namespace', 'notebook/js/outputarea'], ({ notebook }, { OutputArea }) => {
  const WIDGET = 'application/vnd.jupyter.widget-view+json';
  const PICTURES = ['application/vnd.stridelab.array+json', 'application/vnd.stridelab.picture+json'];
  const REASON =
    'This picture is not live, because the classic notebook cannot load the JupyterLab extension of Stridelab: open the notebook in JupyterLab 4 or Notebook 7.';

  const isLivePicture = ({ data = {} }) => WIDGET in data && PICTURES.some(type => type in data);

  function replaceLivePictures() {
    const append = OutputArea.prototype.append_mime_type;
    OutputArea.prototype.append_mime_type = function (output, element, inserted) {
      if (!isLivePicture(output)) return append.call(this, output, element, inserted);
      const { [WIDGET]: _, ...data } = output.data;
      const picture = append.call(this, { ...output, data }, element, inserted);
      const reason = document.createElement('p');
      reason.textContent = REASON;
      picture?.prepend(reason);
      return picture;
    };
  }

  /** Draws the outputs that the page drew before it loaded this file. */
  function redraw({ metadata, output_area: area }) {
    if (!area?.outputs.some(isLivePicture)) return;
    const outputs = area.toJSON();
    area.clear_output(false, true);
    area.fromJSON(outputs, metadata);
  }

  return {
    onload() {
      replaceLivePictures();
      for (const cell of notebook.get_cells()) redraw(cell);
    }
  };
});
