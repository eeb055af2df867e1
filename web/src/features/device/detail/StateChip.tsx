import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Chip } from '@/ui/Chip';

/** Online or offline, on a plate, as it stands in a head. */
export function StateChip({ device: { onlineState } }: { device: Device }) {
  const { t } = useTranslation();
  return onlineState === 1 ? (
    <Chip tone="ok" icon={<CheckCircleFilled />}>
      {t('home.state.online')}
    </Chip>
  ) : (
    <Chip tone="off" icon={<DisconnectOutlined />}>
      {t('home.state.offline')}
    </Chip>
  );
}
