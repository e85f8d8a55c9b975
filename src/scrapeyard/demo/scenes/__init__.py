"""The scenes, in the order in which they are best seen."""

from scrapeyard.demo.scene import Scene
from scrapeyard.demo.scenes import escalation, maintenance, ordinary, proxies, redesign, throttling

SCENES: dict[str, Scene] = {
    scene.name: scene
    for scene in (ordinary.SCENE, escalation.SCENE, throttling.SCENE, maintenance.SCENE, redesign.SCENE, proxies.SCENE)
}
