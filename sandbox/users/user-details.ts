import { pick } from '../base/random.ts'
import { plainId } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { DEPARTMENTS } from '../seed-data/words.ts'
import { siteOf, type User, userListItem } from './users.ts'

type Json = Record<string, unknown>

/** Returns all documented fields of a user. An invited user has little more than an address. */
export function userDetail(seedData: SeedData, user: User): Json {
  const item = userListItem(user)
  if (user.status === 'pending') return { ...item, id: user.id, status: 'pending' }
  return { ...item, ...placeOf(seedData, user), ...membershipOf(seedData, user) }
}

function placeOf(seedData: SeedData, user: User): Json {
  const { h } = user
  const site = siteOf(seedData, user.index)
  const number = `55501${String(h % 100_000).padStart(5, '0')}`
  return {
    job_title: user.job_title ?? `${pick(DEPARTMENTS, h >>> 9)} lead`,
    company: user.company ?? 'Acme',
    location: user.location ?? site.city,
    cost_center: `CC-${String(h % 90)}`,
    phone_country: site.country,
    phone_number: `${site.dialCode}${number}`,
    phone_numbers:
      h % 3 === 0
        ? []
        : [
            {
              country: site.country,
              code: site.dialCode.slice(0, 3),
              number,
              verified: h % 2 === 0,
              label: pick(['Mobile', 'Office', 'Home', 'Fax'], h >>> 6),
            },
          ],
  }
}

function membershipOf(seedData: SeedData, user: User): Json {
  const { h, id, pmi } = user
  return {
    role_name: user.role_id === '2' ? 'Member' : user.role_id === '1' ? 'Admin' : 'Owner',
    personal_meeting_url: `https://meet.example/j/${String(pmi)}`,
    pic_url: `https://pictures.example/${plainId(seedData.idSeed, 0x91c, user.index)}`,
    cms_user_id: h % 5 === 0 ? '' : `cms-${String(h % 100_000)}`,
    jid: `${id.toLowerCase()}@chat.example`,
    account_id: seedData.accountId,
    account_number: 700_000 + (seedData.seed % 90_000),
    cluster: 'aw1',
    use_pmi: h % 2 === 0,
    im_group_ids: h % 6 === 0 ? [`chat-${String(h % 12)}`] : [],
    login_types: h % 10 === 0 ? [100, 101] : [100],
    custom_attributes: [{ key: 'cc', name: 'Cost center', value: String(h % 90) }],
  }
}
