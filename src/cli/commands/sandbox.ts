import { type Command, InvalidArgumentError } from 'commander'
import type { SandboxCommandOptions } from '../actions/run-sandbox.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function sandboxCommand(run: Runner): Command {
  return defineCommand('sandbox', 'Run the simulated service alone, to try things against', [
    'sandbox',
    'sandbox --port 9000 --scale 0.1',
    'sandbox --reading lastToken=absent',
    'sandbox --openapi > sandbox.openapi.json',
  ])
    .option(
      '-p, --port <port>',
      'the port on this machine; 0 takes a free one',
      number(65_535),
      8080,
    )
    .option('--seed <number>', 'another seed makes another company', number(2 ** 31), 1)
    .option('--scale <factor>', 'size of the company; 1 has 20,000 users', number(1000), 1)
    .option(
      '--reading <name=variant>',
      'how it reads the documents where they leave a choice (docs/readings.md); may be repeated',
      (given: string, before: string[]) => [...before, given],
      [],
    )
    .option('--openapi', 'print an OpenAPI 3.1 document of it instead')
    .action((options: SandboxCommandOptions) =>
      run(options, async (context) => {
        const { runSandbox } = await import('../actions/run-sandbox.ts')
        return await runSandbox(context, options)
      }),
    )
}

function number(maximum: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
    if (!(parsed <= maximum)) throw new InvalidArgumentError(`Expected a number up to ${maximum}.`)
    return parsed
  }
}
