//! Images that are changed in a pod that lives: which containers end for it, and whether they have.

use k8s_openapi::api::core::v1 as core;

use super::names::ENDING;

/// Its images were changed, and a container of before is still what is reported. Where the image was changed back before
/// a kubelet saw it, that container stays.
pub(super) fn restarts(pod: &core::Pod) -> bool {
    let Some(ending) = pod.metadata.annotations.as_ref().and_then(|all| all.get(ENDING)) else {
        return false;
    };
    let wanted = |name: &str| {
        let mut containers = pod.spec.iter().flat_map(|spec| &spec.containers);
        containers.find(|container| container.name == name).and_then(|container| container.image.as_deref())
    };
    let status = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    status.unwrap_or_default().iter().any(|container| {
        let id = container.container_id.as_deref().filter(|id| !id.is_empty());
        let is_ending = id.is_some_and(|id| ending.split(',').any(|one| one == id));
        is_ending && !wanted(&container.name).is_some_and(|wanted| is_image(&container.image, wanted))
    })
}

/// Runtimes write the registry and the tag where a person leaves them out.
fn is_image(reported: &str, wanted: &str) -> bool {
    let is_plain = !wanted.rsplit('/').next().unwrap_or(wanted).contains([':', '@']);
    let wanted = if is_plain { format!("{wanted}:latest") } else { wanted.to_owned() };
    reported == wanted || reported.ends_with(&format!("/{wanted}"))
}

/// The containers, by their IDs, that end when these images are written.
pub(super) fn ending(pod: &core::Pod, to: &core::PodTemplateSpec) -> String {
    let image = |spec: Option<&core::PodSpec>, name: &str| {
        let mut containers = spec.into_iter().flat_map(|spec| &spec.containers);
        containers.find(|container| container.name == name).and_then(|container| container.image.clone())
    };
    let status = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    let changes = |container: &&core::ContainerStatus| {
        image(pod.spec.as_ref(), &container.name) != image(to.spec.as_ref(), &container.name)
    };
    let ending = status.unwrap_or_default().iter().filter(changes);
    let ids: Vec<_> = ending.filter_map(|container| container.container_id.as_deref()).collect();
    ids.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_containers_whose_image_changes_end() {
        let pod: core::Pod = serde_json::from_value(json!({"metadata": {"name": "a"},
            "spec": {"containers": [{"name": "db", "image": "a"}, {"name": "side", "image": "s"}]},
            "status": {"containerStatuses": [
                {"name": "db", "image": "", "imageID": "", "containerID": "c://db", "ready": true, "restartCount": 0},
                {"name": "side", "image": "", "imageID": "", "containerID": "c://s", "ready": true, "restartCount": 0}]}}))
        .unwrap();
        let to = |image: &str| {
            let spec = json!({"spec": {"containers": [{"name": "db", "image": image}, {"name": "side", "image": "s"}]}});
            serde_json::from_value(spec).unwrap()
        };
        assert_eq!((ending(&pod, &to("b")), ending(&pod, &to("a"))), ("c://db".into(), String::new()));
    }
}
