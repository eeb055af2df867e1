import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Button, type ButtonProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/lib/offline/reach';

/** The button that sends a form. Without a network it cannot, and says so; what was typed stays. */
export function SendButton({ children, ...rest }: ButtonProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  if (!offline) {
    return (
      <Button type="primary" htmlType="submit" {...rest}>
        {children}
      </Button>
    );
  }
  return (
    <Button type="primary" htmlType="submit" {...rest} disabled icon={<DisconnectOutlined aria-hidden="true" />}>
      {t('offline.needs')}
    </Button>
  );
}
