import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Button, type ButtonProps } from 'antd';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/lib/offline/reachability';

/** A field that is left says below itself what is wrong with it, which would move the button away from under the pointer. */
const stayInField = (event: MouseEvent) => event.preventDefault();

/** The button that sends a form. Without a network it cannot, and says so; what was typed stays. */
export function SendButton({ children, ...rest }: ButtonProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  if (!offline) {
    return (
      <Button type="primary" htmlType="submit" onMouseDown={stayInField} {...rest}>
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
