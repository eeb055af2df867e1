import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];
export type Enrolment = Schemas['Enrolment'];

/** What is done with the second factor once the user has proven who they are. */
export type FactorAction = 'turnOn' | 'move' | 'turnOff' | 'newCodes';

export interface Proof {
  password: string;
  code: string;
}

/** What an action leads to: a key to set up, or codes to store. */
export interface Outcome {
  enrolment?: Enrolment;
  codes?: string[];
}

const path = '/app-api/member/user/totp';

export async function proven(action: FactorAction, { password, code }: Proof): Promise<Outcome> {
  switch (action) {
    case 'turnOn':
      return { enrolment: await api.post(`${path}/begin`, { body: { password } }) };
    case 'move':
      return { enrolment: await api.post(`${path}/begin`, { body: { password, code } }) };
    case 'turnOff':
      await api.post(`${path}/disable`, { body: { password, code } });
      return {};
    case 'newCodes':
      return { codes: (await api.post(`${path}/recovery-codes`, { body: { code } })).recoveryCodes };
  }
}

export const confirmFactor = async (code: string) =>
  (await api.post(`${path}/confirm`, { body: { code } })).recoveryCodes;
