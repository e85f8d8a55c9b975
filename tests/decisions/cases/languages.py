# ruff: noqa: E501 - the lines of a page stand as they come
"""Pages in other languages and character sets: walls, notices, and ordinary ones."""

from decisions.cases.case import MISSING, Case, page, quiet, refused, unread
from scrapeyard.model.failures import Kind

B, R, M = Kind.BLOCKED, Kind.RATE_LIMITED, Kind.MAINTENANCE
X = Kind.SESSION_EXPIRED


def encoded(name: str, kind: Kind, body: str, charset: str) -> Case:
    """Read in vain, in an old character set."""
    return Case(name, kind, body.encode(charset), MISSING, 200, {"content-type": f"text/html; charset={charset}"})


WALLS = [
    unread("spanish denial at 200", B, page("Acceso denegado", "<h1>Acceso denegado</h1><p>Por favor, intente de nuevo. Código de error: 0.77</p>")),
    refused("spanish block", B, 403, page("Error", "<p>Su solicitud ha sido bloqueada por motivos de seguridad.</p>")),
    unread("spanish human check", B, page("Verificación", "<p>Verifique que usted es humano para continuar.</p>")),
    refused("french block", B, 403, page("Accès refusé", "<p>Votre accès à ce site a été bloqué.</p>")),
    unread("french denial at 200", B, page("Accès refusé", "<h1>Accès refusé</h1>")),
    encoded("french denial in latin letters", B, page("Erreur", "<h1>Accès refusé</h1><p>Référence 12</p>"), "latin-1"),
    unread("german denial at 200", B, page("Zugriff verweigert", "<h1>Zugriff verweigert</h1>")),
    refused("german block", B, 403, page("Gesperrt", "<p>Ihre Anfrage wurde aus Sicherheitsgründen blockiert.</p>")),
    unread("german human check", B, page("Sicherheitsprüfung", "<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>")),
    unread("portuguese denial at 200", B, page("Acesso negado", "<h1>Acesso negado</h1>")),
    unread("italian denial at 200", B, page("Accesso negato", "<h1>Accesso negato</h1>")),
    refused("russian block", B, 403, page("Доступ ограничен", "<p>Доступ к ресурсу заблокирован. Подтвердите, что вы не робот.</p>")),
    encoded("russian block in an old character set", B, page("Доступ запрещен", "<h1>Доступ запрещен</h1>"), "cp1251"),
    unread("chinese wall", B, page("405", "<p>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p>")),
    unread("japanese denial", B, page("エラー", "<p>アクセスが拒否されました</p>")),
]  # fmt: skip

NOTICES = [
    unread("spanish limit", R, page("Error", "<p>Demasiadas solicitudes. Intente más tarde.</p>")),
    unread("french limit", R, page("Erreur", "<p>Trop de requêtes. Veuillez réessayer plus tard.</p>")),
    unread("german limit", R, page("Fehler", "<p>Zu viele Anfragen. Bitte warten Sie.</p>")),
    unread("spanish maintenance", M, page("Catastro", "<h1>Sitio en mantenimiento</h1><p>Volvemos pronto.</p>")),
    unread("french maintenance", M, page("Cadastre", "<h1>Site en maintenance</h1>")),
    unread("german maintenance", M, page("Grundbuch", "<h1>Wartungsarbeiten</h1><p>Die Seite ist vorübergehend nicht erreichbar.</p>")),
    unread("portuguese maintenance", M, page("Cadastro", "<h1>Sistema em manutenção</h1>")),
    unread("spanish session", X, page("Catastro", "<p>Su sesión ha expirado. Inicie de nuevo.</p>")),
    unread("french session", X, page("Cadastre", "<p>Votre session a expiré.</p>")),
    unread("german session", X, page("Grundbuch", "<p>Ihre Sitzung ist abgelaufen.</p>")),
]  # fmt: skip

ORDINARY = [
    quiet("a spanish record", None, page("Parcela 7", "<h1>Parcela 7</h1><p>Propietario: J. DOE</p><p>Acceso por la calle mayor</p>")),
    quiet("a spanish notice beside a record", None, page("Parcela 7", "<h1>Parcela 7</h1><p>El domingo el sitio estará en mantenimiento.</p>")),
    unread("a french record without its field", Kind.PARSE_EMPTY, page("Parcelle 7", "<h1>Parcelle 7</h1><p>Propriétaire: J. DOE</p>")),
    unread("a chinese record without its field", Kind.PARSE_EMPTY, page("地块", "<h1>地块 7</h1><p>所有者</p>")),
    encoded("a russian record without its field", Kind.PARSE_EMPTY, page("Участок 7", "<h1>Участок 7</h1>"), "cp1251"),
]  # fmt: skip

LANGUAGES: list[Case] = [*WALLS, *NOTICES, *ORDINARY]
