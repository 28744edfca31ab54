setInterval(() => {}, 1_000);
process.on('SIGTERM', () => process.exit(0));
