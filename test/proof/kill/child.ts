import { type Order, runOrder } from '../run-order.ts'

/** The program of a child that is to be killed: does one order, and says how its runs ended. */
const results = await runOrder(JSON.parse(process.argv[2] ?? '{}') as Order)
process.stdout.write(results.map(({ state }) => state).join(' '))
