import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { shortConfiguration } from '../../../src/cli/init/configuration.ts'

const answers = {
  baseUrl: 'https://api.svc.example/v2',
  authUrl: 'https://svc.example',
  accountId: '12',
  clientId: 'client',
  clientSecret: 'secret',
  apiKey: '007',
  apiSecret: 'secret',
  databaseUrl: '',
}

it.each(['main', '2026', '1e5', 'true', 'null'])(
  'init quotes the account name %s where YAML requires it',
  (name) => {
    const text = shortConfiguration({ schema: 's.json', example: 'e.yaml' }, { name, ...answers })
    const { accounts } = parse(text) as { accounts: unknown[] }
    expect(accounts).toEqual([
      expect.objectContaining({
        name,
        accountId: '12',
        videoSessions: { apiKey: '007', apiSecret: `file:secrets/${name}.video-secret` },
      }),
    ])
  },
)
