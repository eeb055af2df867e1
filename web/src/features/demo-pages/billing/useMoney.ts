import { formatMoney } from '@/lib/format/number';
import { useLanguage } from '@/lib/i18n/i18n';

/** Formats euros in the user's language; with `round`, whole amounts have no cents. */
export function useMoney(): (amount: number, round?: boolean) => string {
  const language = useLanguage((state) => state.language);
  return (amount, round) => formatMoney(amount, language, round);
}
