import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Button, type ButtonProps } from 'antd';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/lib/offline/reachability';

/**
 * Keeps the focus in the field on mouse down: on blur the field shows its error below itself, which
 * would move the button away from under the pointer.
 */
const stayInField = (event: MouseEvent) => event.preventDefault();

/** The submit button of a form. Without a network it is disabled and says so; the input stays. */
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
