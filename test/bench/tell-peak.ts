import { peakBytes } from '../../bench/peak-memory.ts'

/** A child that holds so many MiB and tells what its peak was. */
const held = Buffer.alloc(Number(process.argv[2]) * 2 ** 20, 1)
process.stdout.write(JSON.stringify({ held: held.at(-1), peak: peakBytes() }))
