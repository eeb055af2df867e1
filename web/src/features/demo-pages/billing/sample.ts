/** Every figure of the billing page. All of them are made up. */

export type PlanName = 'garden' | 'field' | 'estate';

export interface Plan {
  name: PlanName;
  /** Euros a month. */
  price: number;
  devices: number;
  sms: number;
  /** Days of history. */
  history: number;
}

export const plans: readonly Plan[] = [
  { name: 'garden', price: 19, devices: 50, sms: 100, history: 90 },
  { name: 'field', price: 49, devices: 300, sms: 1000, history: 400 },
  { name: 'estate', price: 149, devices: 2500, sms: 5000, history: 1100 },
];

export const current: PlanName = 'field';

/** How much of the current plan is used. */
export const used = { devices: 248, sms: 412, history: 287 };

export const card = { digits: '4218', expires: '08/29' };

/** Euros for text messages, month by month, the newest first. */
const messages = [9.4, 6.15, 12.8, 4.05, 0, 7.7, 3.25];

export interface Invoice {
  number: string;
  /** Epoch milliseconds. */
  date: number;
  /** Euros. */
  amount: number;
  paid: boolean;
}

/**
 * One invoice on the first of each month, the newest first: the next one is open, those before are
 * paid.
 */
export function invoicesAround(now: number): Invoice[] {
  const today = new Date(now);
  const price = plans.find(({ name }) => name === current)?.price ?? 0;
  return messages.map((extra, back) => {
    const day = new Date(today.getFullYear(), today.getMonth() + 1 - back, 1);
    const month = String(day.getMonth() + 1).padStart(2, '0');
    return {
      number: `${day.getFullYear()}-${month}-0417`,
      date: day.getTime(),
      amount: price + extra,
      paid: back > 0,
    };
  });
}
