import { once } from 'node:events'
import { createOutput } from '../../../src/cli/frame/output.ts'
import { type FlowOrder, runFlow } from '../flow-order.ts'

/**
 * The program of a child that logs in or out as the commands do. A time that it waits for has come when its
 * parent says so.
 */
const order = JSON.parse(process.argv[2] ?? '{}') as FlowOrder
const wait = async (): Promise<void> => void (await once(process.stdin, 'data'))
process.exit(await runFlow(order, createOutput({ json: false }), wait))
