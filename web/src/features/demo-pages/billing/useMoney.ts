import { formatMoney } from '@/lib/format/number';
import { useLanguage } from '@/lib/i18n/i18n';

/** Writes euros as people of the language do; whole ones without cents where `round` is asked for. */
export function useMoney(): (amount: number, round?: boolean) => string {
  const language = useLanguage((state) => state.language);
  return (amount, round) => formatMoney(amount, language, round);
}
