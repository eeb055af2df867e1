import { useTranslation } from 'react-i18next';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import { useFormat } from '@/lib/format/format';

/**
 * "10 of 11 inside the notification period", and whether that would reach anybody; null for a rule
 * without channels, which tells nobody.
 */
export function useToldText(
  channels: Parameters<typeof useDeliveryReach>[0],
): (told: number, all: number) => string | null {
  const { t } = useTranslation();
  const format = useFormat();
  const reach = useDeliveryReach(channels) ?? 'out';
  return (told, all) => {
    if (channels.length === 0) return null;
    const counts = { told: format.number(told), all: format.number(all) };
    return t(reach === 'out' ? 'rule.rehearsal.told' : `rule.rehearsal.reach.${reach}.told`, counts);
  };
}
