import { expect, it } from 'vitest'
import { account, useConfigFolder } from './config-folder.ts'

const { inFolder, load, refusal } = useConfigFolder()

const withHook = (text: string): string => [...account, `hooks: [${text}]`].join('\n')

it('a hook’s program is relative to the configuration’s folder, and its webhook is a secret', () => {
  const { config, warnings } = load(
    withHook(
      '{after: run, command: [bin/after, --now]}, {after: report, webhook: {url: env:H, bearer: env:B}}',
    ),
    { H: 'https://hook.example.com/secret', B: 'bearer-1' },
  )
  expect(warnings).toEqual([])
  expect(config.hooks).toMatchObject([
    { after: 'run', jobs: [], command: [inFolder('bin/after'), '--now'], timeoutSeconds: 600 },
    { after: 'report', reports: [], command: null },
  ])
  expect(config.hooks[1]?.webhook?.url.reveal()).toBe('https://hook.example.com/secret')
  expect(JSON.stringify(config)).not.toMatch(/hook\.example|bearer-1/)
})

it('a hook’s secret in the configuration file causes a warning', () => {
  const url = 'https://hook.example.com/secret'
  const { warnings } = load(withHook(`{after: run, webhook: {url: "${url}"}}`))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('hooks[0].webhook.url')
  expect(warnings[0]).not.toContain('hook.example')
})

it.each([
  ['{command: [dbt]}', 'hooks[0].after: expected one of run, report'],
  ['{after: runs, command: [dbt]}', 'hooks[0].after: expected one of run, report'],
  ['{after: run}', 'hooks[0].command: expected either a command or a webhook'],
  [
    '{after: run, command: [dbt], webhook: {url: env:H}}',
    'hooks[0].command: expected either a command or a webhook',
  ],
  ['{after: run, command: dbt build}', 'hooks[0].command: expected'],
  ['{after: run, jobs: [user], command: [dbt]}', 'did you mean users?'],
  ['{after: report, jobs: [users], command: [dbt]}', 'hooks[0].jobs: expected no jobs'],
  ['{after: run, comand: [dbt]}', 'did you mean command?'],
  ['{after: run, command: [dbt], timeoutSeconds: 0}', 'hooks[0].timeoutSeconds: expected'],
])('a wrong hook is rejected: %s', (hook, message) => {
  expect(refusal(withHook(hook))).toContain(message)
})
