import { join } from 'node:path';
import { paths } from '../setup/paths.mjs';
import { registeredData } from './registration.mjs';

/**
 * Returns JupyterLab's arguments for every kind of start: it listens on this machine only, stops without a question,
 * and sends no requests to the network (news, updates, the extension catalogue).
 * @param {object} options
 * @param {number} options.port
 * @param {string} options.folder the server's root
 * @returns {string[]}
 */
export function labArguments({ port, folder }) {
  return [
    '--ip=127.0.0.1',
    `--port=${port}`,
    '--ServerApp.port_retries=0',
    `--ServerApp.root_dir=${folder}`,
    '--ServerApp.answer_yes=True',
    '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate',
    '--LabApp.news_url=None',
    '--LabApp.extension_manager=readonly',
    // It would run npm to find the folder of global packages.
    '--LanguageServerManager.autodetect=False',
    // Each page would have it compare the installed extensions with a build, for which it runs yarn twice.
    `--ServerApp.tornado_settings={'page_config_data': {'buildCheck': False, 'buildAvailable': False}}`,
    ...(process.getuid?.() === 0 ? ['--allow-root'] : [])
  ];
}

/**
 * Returns an environment in which Jupyter neither reads nor changes the user's settings, writes nothing outside this
 * folder, and finds the registrations of `registerCheckout` before those in `.venv`.
 * @param {string} token
 * @param {string} [folder] where Jupyter writes settings and other files
 * @returns {NodeJS.ProcessEnv}
 */
export function privateEnvironment(token, folder = join(paths.build, 'jupyter')) {
  /** @type {NodeJS.ProcessEnv} */
  const environment = {
    ...process.env,
    JUPYTER_TOKEN: token,
    JUPYTER_PREFER_ENV_PATH: '1',
    JUPYTER_PATH: registeredData,
    JUPYTER_CONFIG_DIR: join(folder, 'config'),
    JUPYTER_DATA_DIR: join(folder, 'data'),
    JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
    JUPYTERLAB_SETTINGS_DIR: join(folder, 'settings'),
    JUPYTERLAB_WORKSPACES_DIR: join(folder, 'workspaces'),
    IPYTHONDIR: join(folder, 'ipython'),
    STRIDELAB_CACHE_DIR: process.env['STRIDELAB_CACHE_DIR'] || join(paths.build, 'cache', 'code'),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] || join(paths.build, 'cache', 'modules')
  };
  for (const name of ['JUPYTER_CONFIG_PATH', 'JUPYTER_NO_CONFIG', 'PYTHONPATH']) delete environment[name];
  return environment;
}
