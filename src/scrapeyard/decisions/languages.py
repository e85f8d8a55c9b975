"""The few words of walls and notices in the languages beside English that public sites are met in.

A page is bytes in a character set that often is not the one it names, so a word is looked for in the usual ones.
"""

from typing import Final

_CHARSETS: Final = ("utf-8", "latin-1", "cp1251")


def spelled(*words: str) -> tuple[bytes, ...]:
    """Each word, in lower case and with a capital, in every character set that can write it."""
    found: dict[bytes, None] = {}
    for word in words:
        for shape in (word, word.capitalize()):
            for charset in _CHARSETS:
                try:
                    # only letters of the English alphabet are made small in a page, so the others stay as they are
                    found[shape.encode(charset).lower()] = None
                except UnicodeEncodeError:
                    continue
    return tuple(found)


REFUSED: Final = spelled(
    "acceso denegado", "acceso bloqueado", "solicitud ha sido bloqueada", "ha sido bloqueado",
    "accès refusé", "accès bloqué", "accès à ce site a été bloqué", "requête a été bloquée",
    "zugriff verweigert", "zugriff gesperrt", "anfrage wurde aus", "anfrage wurde blockiert",
    "acesso negado", "acesso bloqueado", "accesso negato", "accesso bloccato",
    "toegang geweigerd", "dostęp zabroniony", "erişim engellendi",
    "доступ запрещен", "доступ запрещён", "доступ ограничен", "доступ к ресурсу",
    "访问被拒绝", "访问被阻断", "访问被拦截", "アクセスが拒否",
)  # fmt: skip
HUMAN: Final = spelled(
    "usted es humano", "eres humano", "no eres un robot", "no soy un robot", "vous êtes humain",
    "n'êtes pas un robot", "sie ein mensch sind", "kein roboter", "você é humano", "não é um robô", "sei umano",
    "вы не робот", "вы человек", "我不是机器人", "请完成验证", "ロボットではありません",
)  # fmt: skip
TOO_FAST: Final = spelled(
    "demasiadas solicitudes", "demasiadas peticiones", "trop de requêtes", "zu viele anfragen",
    "muitas solicitações", "troppe richieste", "слишком много запросов", "请求过于频繁", "操作频繁",
)  # fmt: skip
CLOSED: Final = spelled(
    "en mantenimiento", "en maintenance", "wartungsarbeiten", "wartungsmodus", "em manutenção", "in manutenzione",
    "технические работы", "系统维护", "メンテナンス中",
)  # fmt: skip
FORGOTTEN: Final = spelled(
    "sesión ha expirado", "sesión ha caducado", "session a expiré", "sitzung ist abgelaufen", "sessão expirou",
    "sessione è scaduta", "сессия истекла",
)  # fmt: skip
