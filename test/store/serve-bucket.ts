import S3rver from 's3rver'

/** A child's program: serves one bucket on loopback and prints its port. */
const [directory = '', bucket = ''] = process.argv.slice(2)
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: bucket, configs: [] }],
})
const { port } = await server.run()
process.stdout.write(`${port}\n`)
