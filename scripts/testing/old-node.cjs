// Loaded with --require: makes this Node look like an old one.
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });
