import type { TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';
import type { Format } from '@/lib/format/format';

/** The kinds that have a budget. */
const budgetKinds = ['email', 'phoneMessage'] as const;

export type DeliveryBudget = Omit<components['schemas']['LetterBudget'], 'mode'> & {
  mode: (typeof budgetKinds)[number];
};

const isKnown = (budget: components['schemas']['LetterBudget']): budget is DeliveryBudget =>
  budgetKinds.some((kind) => kind === budget.mode);

/** The most used budget among those worth reporting. */
export function mostUsedBudget(
  budgets: readonly components['schemas']['LetterBudget'][] = [],
): DeliveryBudget | undefined {
  const share = ({ letters, budget }: DeliveryBudget) => letters / budget;
  return budgets
    .filter(isKnown)
    .reduce<DeliveryBudget | undefined>(
      (worst, candidate) => (worst && share(worst) >= share(candidate) ? worst : candidate),
      undefined,
    );
}

/** The consequence of a budget that is nearly or fully used, and until when it lasts. */
export function budgetText(
  deliveryBudget: DeliveryBudget,
  format: Format,
  t: TFunction,
): { title: string; text: string } {
  const { letters, budget, mode, until } = deliveryBudget;
  const moment = format.moment(until, Date.now());
  if (letters < budget) {
    const counts = { letters: format.number(letters, 0), budget: format.number(budget, 0) };
    return { title: t(`budget.near.${mode}`, counts), text: t('budget.nearText', { moment }) };
  }
  if (letters >= 2 * budget) return { title: t(`budget.none.${mode}`), text: t('budget.noneText', { moment }) };
  const hourly = letters < budget + Math.floor(budget / 2);
  return { title: t(`budget.used.${mode}`), text: t(hourly ? 'budget.usedText' : 'budget.seriousText', { moment }) };
}
