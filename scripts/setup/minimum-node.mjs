/** Imported first by every command: says in one sentence when this Node cannot run even the set-up. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Stridelab's set-up needs Node 20.19 or newer and this is ${process.version}: install Node 24 from https://nodejs.org.`
  );
  process.exit(1);
}
