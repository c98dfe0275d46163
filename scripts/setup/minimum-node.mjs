/** Exits with a message if this Node is too old even for the set-up. Every command imports this file first. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Stridelab's set-up needs Node 20.19 or newer, but this is ${process.version}: install Node 24 from https://nodejs.org.`
  );
  process.exit(1);
}

/** The Node that runs the kernel and the tests. The set-up also runs on an older one, and installs this one. */
export const RUNTIME_MAJOR = 24;
/** The platform of the packaged Node (optionalDependencies in package.json). */
const PACKAGED = 'linux-x64';
const platform = `${process.platform}-${process.arch}`;

export const NO_RUNTIME =
  `Stridelab needs Node ${RUNTIME_MAJOR} or newer, but this is ${process.version}, with no packaged Node for ` +
  `${platform}: install Node ${RUNTIME_MAJOR} from https://nodejs.org.`;

/** Returns why no Node can run the kernel; called before the packages are installed. @returns {string | undefined} */
export function whyNoRuntime() {
  return major >= RUNTIME_MAJOR || platform === PACKAGED ? undefined : NO_RUNTIME;
}
